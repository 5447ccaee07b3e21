// An executor that takes no more work, for a while or because it leaves.
#include "tests/unit/executor_core/core_fixture.h"

namespace dl::executor {
namespace {

using Leaving = ExecutorCore;

TEST_F(Leaving, NothingIsBegunWhileTheMasterDrains) {
  Register(11);
  Lease(MakeLease(1));
  Heartbeat({.master_stops = true});
  Do(LeaseAnswered{11, rpc::LeaseReply{}});
  EXPECT_TRUE(Effects<SendLease>().empty());
  Compute(MakeLease(1));
  EXPECT_EQ(Effects<SendAnnounce>().size(), 1u);
  Wait(std::chrono::milliseconds(500));
  EXPECT_TRUE(Effects<SendGoodbye>().empty());
  Heartbeat({});
  EXPECT_EQ(Effects<SendLease>().size(), 1u) << "it was for a while";
}

TEST_F(Leaving, RunningUnitsAreDeliveredFirst) {
  Register(11);
  Lease(MakeLease(1, 0));
  Lease(MakeLease(2, 1));
  Do(DrainRequested{});
  EXPECT_TRUE(Effects<AbortUnit>().empty());
  EXPECT_TRUE(Effects<SendGoodbye>().empty());
  Wait(std::chrono::milliseconds(500));
  EXPECT_EQ(Effects<SendHeartbeat>().size(), 0u) << "the one before is not answered";
  Heartbeat({});
  Wait(std::chrono::milliseconds(500));
  EXPECT_EQ(Effects<SendHeartbeat>().at(0).request.running.size(), 2u) << "their leases live on";
  Deliver(MakeLease(1, 0));
  EXPECT_TRUE(Effects<SendGoodbye>().empty());
  EXPECT_TRUE(Effects<SendLease>().empty());
  Compute(MakeLease(2, 1));
  EXPECT_EQ(Effects<SendAnnounce>().size(), 1u);
  Do(AnnounceAnswered{11, 2, MakeLease(2, 1).unit, rpc::AnnounceReply{rpc::Verdict::kSend}});
  EXPECT_TRUE(Effects<SendGoodbye>().empty()) << "its bytes are not there yet";
  Do(ContributionSent{11, 2, MakeLease(2, 1).unit,
                      rpc::ContributionReply{rpc::Receipt::kComplete}});
  EXPECT_EQ(Effects<SendGoodbye>().size(), 1u);
  Do(GoodbyeAnswered{});
  EXPECT_EQ(Effects<Exit>().size(), 1u);
}

TEST_F(Leaving, WithoutWorkAtOnce) {
  Register(11);
  Do(DrainRequested{});
  EXPECT_EQ(Effects<SendGoodbye>().size(), 1u);
}

TEST_F(Leaving, LateLeaseIsReturned) {
  Register(11);
  Lease(MakeLease(1, 0));
  ASSERT_EQ(Effects<SendLease>().size(), 1u);
  Do(DrainRequested{});
  Lease(MakeLease(2, 1));  // the answer to an earlier request
  EXPECT_TRUE(Effects<RunUnit>().empty());
  ASSERT_EQ(Effects<SendFailure>().size(), 1u);
  EXPECT_EQ(Effects<SendFailure>()[0].request.lease, 2u);
  EXPECT_TRUE(IsTriedAgain(Effects<SendFailure>()[0].request.fault)) << "nobody's failure";
  Do(FailureReported{11, 2, MakeLease(2, 1).unit, absl::OkStatus()});
  Deliver(MakeLease(1, 0));
  EXPECT_EQ(Effects<SendGoodbye>().size(), 1u);
}

TEST_F(Leaving, WaitingUnitsAreReturned) {
  Register(11);
  Lease(MakeLease(1));
  const UnitFailed lost{1, MakeLease(1).unit, Unavailable({.message = "lost"}),
                        rpc::Fault::kNetwork};
  Do(lost);
  Do(DrainRequested{});
  EXPECT_EQ(Effects<SendFailure>().size(), 1u);
  SetUpCore();
  Register(11);
  Lease(MakeLease(1));
  Do(DrainRequested{});
  Do(lost);
  EXPECT_EQ(Effects<SendFailure>().size(), 1u);
}

TEST_F(Leaving, LostSessionIsReopenedForDelivery) {
  Register(11);
  Lease(MakeLease(1));
  Do(DrainRequested{});
  LoseSession();
  EXPECT_EQ(Effects<SendRegister>().size(), 1u);
  Compute(MakeLease(1));
  EXPECT_TRUE(Effects<Exit>().empty());
  Register(12);
  EXPECT_EQ(Effects<SendAnnounce>().size(), 1u);
  EXPECT_TRUE(Effects<SendLease>().empty());
  Do(AnnounceAnswered{12, 1, MakeLease(1).unit, rpc::AnnounceReply{rpc::Verdict::kUnwanted}});
  EXPECT_EQ(Effects<SendGoodbye>().size(), 1u);
}

TEST_F(Leaving, SecondStopDoesNotWait) {
  Register(11);
  Lease(MakeLease(1));
  Do(DrainRequested{});
  Do(StopRequested{});
  EXPECT_EQ(Effects<AbortUnit>().size(), 1u);
  EXPECT_EQ(Effects<SendGoodbye>().size(), 1u);
}

TEST_F(Leaving, StopsOnceAndWithoutSpinning) {
  Register(11);
  Lease(MakeLease(1));
  Do(StopRequested{});
  EXPECT_EQ(Effects<AbortUnit>().size(), 1u);
  EXPECT_EQ(Effects<SendGoodbye>().size(), 1u);
  EXPECT_EQ(core_->NextDeadline(), Instant::Max());
  LoseSession();
  EXPECT_EQ(Effects<Exit>().size(), 1u);
  Do(GoodbyeAnswered{});
  EXPECT_TRUE(Effects<Exit>().empty());
}

}  // namespace
}  // namespace dl::executor
