// Units whose inputs cannot be fetched.
#include "tests/unit/executor_core/core_fixture.h"

namespace dl::executor {
namespace {

// The unit itself is not at fault. The same executor tries again with pauses, under the lease that
// it holds.
TEST_F(ExecutorCore, FailedFetchIsRetried) {
  Register(11);
  Lease(MakeLease(1));
  Duration last{};
  for (const rpc::Fault fault :
       {rpc::Fault::kNetwork, rpc::Fault::kMaster, rpc::Fault::kMaster, rpc::Fault::kNetwork}) {
    Do(UnitFailed{1, MakeLease(1).unit, NotFound({.message = "no such state"}), fault});
    EXPECT_TRUE(Effects<SendFailure>().empty());
    EXPECT_TRUE(Effects<RunUnit>().empty()) << "not at once";
    EXPECT_TRUE(Effects<SendLease>().empty()) << "its slot is taken";
    Heartbeat({});
    const Instant failed = now_;
    while (Effects<RunUnit>().empty()) {
      ASSERT_LE(now_ - failed, std::chrono::seconds(10));
      Wait(std::chrono::milliseconds(10));
      for (const SendHeartbeat& beat : Effects<SendHeartbeat>())
        EXPECT_EQ(beat.request.running.at(0).lease, 1u) << "its lease lives on";
    }
    EXPECT_EQ(Effects<RunUnit>()[0].lease.lease, 1u);
    EXPECT_GT(now_ - failed, last);
    last = now_ - failed;
  }
  Compute(MakeLease(1));
  EXPECT_EQ(Effects<SendAnnounce>().size(), 1u);
}

TEST_F(ExecutorCore, UnitIsReturnedAfterLongFailedFetch) {
  Register(11);
  Lease(MakeLease(1));
  const Instant begin = now_;
  int tries = 0;
  while (Effects<SendFailure>().empty()) {
    ASSERT_LE(now_ - begin, std::chrono::seconds(60));
    ++tries;
    Do(UnitFailed{1, MakeLease(1).unit, NotFound({.message = "no such state"}),
                  rpc::Fault::kMaster});
    while (Effects<RunUnit>().empty() && Effects<SendFailure>().empty())
      Wait(std::chrono::milliseconds(10));
  }
  EXPECT_GE(now_ - begin, std::chrono::seconds(30));
  EXPECT_GE(tries, 5);
  EXPECT_LE(tries, 20);
  EXPECT_EQ(Effects<SendFailure>()[0].request.fault, rpc::Fault::kMaster);
}

// For half an hour the same unit is leased again and again, and its state can never be fetched.
TEST_F(ExecutorCore, FailedFetchesAreLoggedSometimes) {
  Register(11);
  const Instant begin = now_;
  std::vector<Duration> warned;
  uint64_t lease = 1;
  Lease(MakeLease(lease));
  for (int64_t failures = 1; now_ - begin < std::chrono::minutes(30); ++failures) {
    Do(UnitFailed{lease, MakeLease(1).unit, NotFound({.message = "no such state"}),
                  rpc::Fault::kMaster});
    for (const Warn& warning : Effects<Warn>()) {
      warned.push_back(now_ - begin);
      EXPECT_NE(warning.message.find("job/train/1/0"), std::string::npos) << warning.message;
      EXPECT_NE(warning.message.find("no such state"), std::string::npos) << warning.message;
      EXPECT_NE(warning.message.find(std::to_string(failures) + " failures"), std::string::npos)
          << warning.message;
    }
    if (failures <= 2) {
      EXPECT_EQ(warned.size(), failures == 1 ? 0u : 1u) << "once is nothing";
    }
    if (!Effects<SendFailure>().empty()) {
      Do(FailureReported{11, lease, MakeLease(1).unit, absl::OkStatus()});
      Lease(MakeLease(++lease));
      continue;
    }
    while (Effects<RunUnit>().empty()) Wait(std::chrono::milliseconds(50));
  }
  EXPECT_GE(warned.size(), 25u);
  EXPECT_LE(warned.size(), 40u);
}

TEST_F(ExecutorCore, WarningNamesWhatCannotBeFetched) {
  const auto warned = [&](FetchTarget fetched) {
    SetUpCore();
    Register(11);
    Lease(MakeLease(1));
    std::string all;
    for (int tries = 0; tries < 2; ++tries) {
      Do(UnitFailed{.lease = 1,
                    .unit = MakeLease(1).unit,
                    .status = NotFound({.message = "gone"}),
                    .fault = rpc::Fault::kMaster,
                    .fetched = fetched});
      for (const Warn& warning : Effects<Warn>()) all += warning.message;
      while (tries == 0 && Effects<RunUnit>().empty()) Wait(std::chrono::milliseconds(50));
    }
    return all;
  };
  EXPECT_NE(warned(FetchTarget::kState).find("cannot fetch the state that unit"),
            std::string::npos);
  EXPECT_NE(warned(FetchTarget::kJob).find("cannot fetch the job of unit"), std::string::npos);
  EXPECT_NE(warned(FetchTarget::kBlock).find("cannot fetch a block that unit"), std::string::npos);
}

TEST_F(ExecutorCore, RetryUsesNewestLease) {
  Register(11);
  Lease(MakeLease(1));
  LoseSession();
  Register(12);
  Lease(MakeLease(2));
  Do(UnitFailed{1, MakeLease(1).unit, Unavailable({.message = "lost"}), rpc::Fault::kNetwork});
  Wait(std::chrono::milliseconds(100));
  ASSERT_EQ(Effects<RunUnit>().size(), 1u);
  EXPECT_EQ(Effects<RunUnit>()[0].lease.lease, 2u);
  Compute(MakeLease(2));
  ASSERT_EQ(Effects<SendAnnounce>().size(), 1u);
  EXPECT_EQ(Effects<SendAnnounce>()[0].request.lease, 2u);
}

TEST_F(ExecutorCore, RetriedUnitMayBeWithdrawn) {
  Register(11);
  Lease(MakeLease(1));
  Do(UnitFailed{1, MakeLease(1).unit, Unavailable({.message = "lost"}), rpc::Fault::kNetwork});
  Wait(std::chrono::milliseconds(20));
  Heartbeat({});
  Wait(std::chrono::milliseconds(20));
  Lease(MakeLease(2));
  ASSERT_EQ(Effects<RunUnit>().size(), 1u) << "the new lease does not wait";
  EXPECT_EQ(Effects<RunUnit>()[0].lease.lease, 2u);
  Do(UnitFailed{2, MakeLease(1).unit, Unavailable({.message = "lost"}), rpc::Fault::kNetwork});
  Wait(std::chrono::milliseconds(500));
  Heartbeat({.abandon = {MakeLease(1).unit}});
  Wait(std::chrono::seconds(10));
  EXPECT_TRUE(Effects<RunUnit>().empty());
  EXPECT_TRUE(Effects<SendFailure>().empty());
}

}  // namespace
}  // namespace dl::executor
