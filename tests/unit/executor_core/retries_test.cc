// Heartbeats count what an executor tried again.
#include "tests/unit/executor_core/core_fixture.h"

namespace dl::executor {
namespace {

class RetriesOfACore : public ExecutorCore {
 protected:
  // Returns the retries that the next heartbeat reports.
  rpc::Retries Said() {
    Heartbeat({});
    const Instant begin = now_;
    while (Effects<SendHeartbeat>().empty() && now_ - begin < std::chrono::seconds(10))
      Wait(std::chrono::milliseconds(10));
    const auto beats = Effects<SendHeartbeat>();
    EXPECT_EQ(beats.size(), 1u);
    return beats.empty() ? rpc::Retries{} : beats[0].request.retries;
  }
  void FailToFetch(const rpc::Lease& lease, FetchTarget fetched) {
    Do(UnitFailed{.lease = lease.lease,
                  .unit = lease.unit,
                  .status = Lost(),
                  .fault = rpc::Fault::kNetwork,
                  .fetched = fetched});
    Wait(std::chrono::seconds(5));
    ASSERT_EQ(Effects<RunUnit>().size(), 1u);
  }
  static Status Lost() { return Unavailable({.message = "lost"}); }
};

TEST_F(RetriesOfACore, CountsAreKeptPerKindOfFetch) {
  Register(11);
  const rpc::Lease lease = MakeLease(1);
  Lease(lease);
  EXPECT_EQ(Said(), rpc::Retries{});
  FailToFetch(lease, FetchTarget::kJob);
  EXPECT_EQ(Said(), (rpc::Retries{.jobs = 1}));
  for (int i = 0; i < 2; ++i) FailToFetch(lease, FetchTarget::kState);
  for (int i = 0; i < 3; ++i) FailToFetch(lease, FetchTarget::kBlock);
  EXPECT_EQ(Said(), (rpc::Retries{.jobs = 1, .states = 2, .blocks = 3}));
  // A fault of the executor itself is reported and not retried.
  Do(UnitFailed{1, lease.unit, Internal({.message = "broken"})});
  ASSERT_EQ(Effects<SendFailure>().size(), 1u);
  EXPECT_EQ(Said(), (rpc::Retries{.jobs = 1, .states = 2, .blocks = 3}));
  Do(FailureReported{11, 1, lease.unit, Lost()});
  EXPECT_EQ(Said(), (rpc::Retries{.jobs = 1, .states = 2, .blocks = 3, .results = 1}));
}

TEST_F(RetriesOfACore, DeliveryOfResultIsCounted) {
  Register(11);
  const rpc::Lease lease = MakeLease(1);
  Lease(lease);
  Compute(lease);
  const auto wait_for = [&](const auto& effects) {
    while (effects().empty()) Wait(std::chrono::milliseconds(10));
  };
  Do(AnnounceAnswered{11, 1, lease.unit, Lost()});
  wait_for([&] { return Effects<SendAnnounce>(); });
  Do(AnnounceAnswered{11, 1, lease.unit, rpc::AnnounceReply{rpc::Verdict::kSend}});
  Do(ContributionSent{11, 1, lease.unit, Lost()});
  wait_for([&] { return Effects<SendContribution>(); });
  // The master has no memory for the result now.
  Do(ContributionSent{11, 1, lease.unit, ResourceExhausted({.message = "no memory"})});
  wait_for([&] { return Effects<SendContribution>(); });
  Do(ContributionSent{11, 1, lease.unit, rpc::ContributionReply{rpc::Receipt::kComplete}});
  EXPECT_EQ(Said(), (rpc::Retries{.results = 3}));
}

TEST_F(RetriesOfACore, GoOnFromSessionToSession) {
  Do(RegisterAnswered{Lost()});
  Wait(std::chrono::seconds(1));
  ASSERT_EQ(Effects<SendRegister>().size(), 1u);
  EXPECT_EQ(Effects<SendRegister>()[0].request.retries, (rpc::Retries{.sessions = 1}));
  Register(11);
  ASSERT_EQ(Effects<SendHeartbeat>().size(), 1u);
  EXPECT_EQ(Effects<SendHeartbeat>()[0].request.retries, (rpc::Retries{.sessions = 1}));
  Do(LeaseAnswered{11, Lost()});
  Do(HeartbeatAnswered{11, Lost()});
  EXPECT_EQ(Said(), (rpc::Retries{.sessions = 2, .leases = 1}));
  LoseSession();
  ASSERT_EQ(Effects<SendRegister>().size(), 1u);
  EXPECT_EQ(Effects<SendRegister>()[0].request.retries, (rpc::Retries{.sessions = 3, .leases = 1}));
  Register(12);
  EXPECT_EQ(Said(), (rpc::Retries{.sessions = 3, .leases = 1}));
}

TEST_F(RetriesOfACore, HaveABound) {
  int64_t count = rpc::Retries::kMost - 1;
  for (int i = 0; i < 3; ++i) CountRetry(count);
  EXPECT_EQ(count, rpc::Retries::kMost);
}

}  // namespace
}  // namespace dl::executor
