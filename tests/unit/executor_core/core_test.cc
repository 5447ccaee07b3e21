#include "executor/core/executor_core.h"
#include "tests/unit/executor_core/core_fixture.h"

namespace dl::executor {
namespace {

TEST_F(ExecutorCore, RegistersThenSendsHeartbeatAndRequestsWork) {
  EXPECT_EQ(Effects<SendRegister>().size(), 1u);
  Register(11);
  EXPECT_EQ(Effects<SendHeartbeat>().size(), 1u);
  ASSERT_EQ(Effects<SendLease>().size(), 1u);
  EXPECT_EQ(Effects<SendLease>()[0].request.free_slots, 2);
}

TEST_F(ExecutorCore, BacksOffWhileTheMasterIsDown) {
  Duration last{};
  for (int i = 0; i < 8; ++i) {
    Do(RegisterAnswered{Unavailable({.message = "refused"})});
    EXPECT_TRUE(Effects<SendRegister>().empty());
    const Duration wait = core_->NextDeadline() - now_;
    EXPECT_GE(wait, last);
    EXPECT_LE(wait, std::chrono::seconds(1));
    last = wait;
    Wait(wait);
    EXPECT_EQ(Effects<SendRegister>().size(), 1u);
  }
}

TEST_F(ExecutorCore, LogsWaitForMasterOnce) {
  const Status refused = Unavailable({.message = "refused", .where = "dl://there:7"});
  Do(RegisterAnswered{refused});
  ASSERT_EQ(Effects<Waits>().size(), 1u);
  EXPECT_EQ(Effects<Waits>()[0].why, refused);
  for (int i = 0; i < 500; ++i) {
    Wait(core_->NextDeadline() - now_);
    Do(RegisterAnswered{i % 2 == 0 ? DeadlineExceeded({.message = "silent"}) : refused});
    ASSERT_TRUE(Effects<Waits>().empty());
    ASSERT_TRUE(Effects<Joined>().empty());
  }
  Do(RegisterAnswered{Aborted({.message = "started again as incarnation 7"})});
  EXPECT_EQ(Effects<Waits>().size(), 1u) << "that is news";
  Register(11);
  EXPECT_EQ(Effects<Joined>().size(), 1u);
  LoseSession();
  Do(RegisterAnswered{refused});
  EXPECT_EQ(Effects<Waits>().size(), 1u) << "it was there in between";
  Register(12);
  EXPECT_EQ(Effects<Joined>().size(), 1u);
}

TEST_F(ExecutorCore, WrongAddressEndsExecutorOnlyAtStart) {
  const Status mismatch = VersionMismatch({.message = "no master"});
  Do(RegisterAnswered{mismatch});
  ASSERT_EQ(Effects<Refused>().size(), 1u);
  EXPECT_EQ(Effects<Refused>()[0].why, mismatch);
  EXPECT_EQ(core_->NextDeadline(), Instant::Max());
  SetUpCore();
  Register(11);
  LoseSession();
  Do(RegisterAnswered{mismatch});
  EXPECT_TRUE(Effects<Refused>().empty());
  EXPECT_EQ(Effects<Waits>().size(), 1u);
  Wait(core_->NextDeadline() - now_);
  EXPECT_EQ(Effects<SendRegister>().size(), 1u);
}

TEST_F(ExecutorCore, SilentMasterAtStartEndsExecutorAfterTimeout) {
  const Status silent = DeadlineExceeded({.message = "no answer"});
  const auto ends_within = [&](Duration time) {
    for (const Instant end = now_ + time; now_ < end; Wait(std::chrono::seconds(5))) {
      Do(RegisterAnswered{silent});
      if (!Effects<Refused>().empty()) return true;
    }
    return false;
  };
  EXPECT_FALSE(ends_within(std::chrono::seconds(50)));
  Do(RegisterAnswered{Unavailable({.message = "nothing listens"})});
  Wait(std::chrono::seconds(5));
  EXPECT_FALSE(ends_within(std::chrono::seconds(50))) << "nothing listened in between";
  EXPECT_TRUE(ends_within(std::chrono::seconds(20)));
  EXPECT_EQ(Effects<Refused>().at(0).why, silent);
}

TEST_F(ExecutorCore, SilentMasterAfterASessionIsRetried) {
  Register(11);
  LoseSession();
  for (int i = 0; i < 100; ++i) {
    Do(RegisterAnswered{DeadlineExceeded({.message = "no answer"})});
    ASSERT_TRUE(Effects<Refused>().empty());
    Wait(std::chrono::seconds(5));
  }
}

TEST_F(ExecutorCore, LogsSilentMasterOncePerMinute) {
  Register(11);
  const auto warnings_in = [&](Duration time) {
    size_t warned = 0;
    for (const Instant end = now_ + time; now_ < end; Wait(core_->NextDeadline() - now_)) {
      Do(HeartbeatAnswered{11, Unavailable({.message = "refused"})});
      warned += Effects<Warn>().size();
    }
    return warned;
  };
  EXPECT_EQ(warnings_in(std::chrono::seconds(2)), 0u) << "a restart takes so long";
  EXPECT_EQ(warnings_in(std::chrono::seconds(50)), 1u);
  EXPECT_EQ(warnings_in(std::chrono::seconds(60)), 1u);
  Wait(std::chrono::seconds(60));
  Heartbeat({});
  EXPECT_EQ(warnings_in(std::chrono::seconds(2)), 0u) << "it answered in between";
}

TEST_F(ExecutorCore, UnitGoesFromLeaseToRetained) {
  Register(11);
  const rpc::Lease lease = MakeLease(1);
  Lease(lease);
  ASSERT_EQ(Effects<RunUnit>().size(), 1u);
  EXPECT_EQ(Effects<SendLease>().at(0).request.free_slots, 1);
  Compute(lease);
  ASSERT_EQ(Effects<SendAnnounce>().size(), 1u);
  EXPECT_EQ(Effects<SendAnnounce>()[0].request.session, 11u);
  EXPECT_EQ(Effects<SendAnnounce>()[0].request.lease, 1u);
  Do(AnnounceAnswered{11, lease.lease, lease.unit, rpc::AnnounceReply{rpc::Verdict::kSend}});
  EXPECT_EQ(Effects<SendContribution>().size(), 1u);
  Do(ContributionSent{11, lease.lease, lease.unit,
                      rpc::ContributionReply{rpc::Receipt::kComplete}});
  Heartbeat({.abandon = {lease.unit}});
  EXPECT_TRUE(Effects<DropResult>().empty()) << "it is kept until a later round is committed";
  Wait(std::chrono::milliseconds(500));
  Heartbeat({.committed = {{"job", 2}}});
  EXPECT_EQ(Effects<DropResult>().size(), 1u);
}

// The lease may overtake the reply to the heartbeat.
TEST_F(ExecutorCore, AbandonIgnoresUnitLeasedAfterHeartbeat) {
  Register(11);
  ASSERT_EQ(Effects<SendHeartbeat>().size(), 1u);
  Wait(std::chrono::milliseconds(10));
  const rpc::Lease lease = MakeLease(1);
  Lease(lease);
  Heartbeat({.abandon = {lease.unit}});
  EXPECT_TRUE(Effects<AbortUnit>().empty());
  Wait(std::chrono::milliseconds(500));
  Heartbeat({.abandon = {lease.unit}});
  EXPECT_EQ(Effects<AbortUnit>().size(), 1u);
}

TEST_F(ExecutorCore, ResultOutlivesSession) {
  Register(11);
  const rpc::Lease lease = MakeLease(1);
  Lease(lease);
  LoseSession();
  EXPECT_EQ(Effects<SendRegister>().size(), 1u);
  EXPECT_TRUE(Effects<AbortUnit>().empty());
  Compute(lease);
  Register(12);
  ASSERT_EQ(Effects<SendAnnounce>().size(), 1u);
  EXPECT_EQ(Effects<SendAnnounce>()[0].request.session, 12u);
}

TEST_F(ExecutorCore, RunningComputationServesNewLease) {
  Register(11);
  Lease(MakeLease(1));
  LoseSession();
  Register(12);
  Lease(MakeLease(2));
  EXPECT_TRUE(Effects<RunUnit>().empty());
  EXPECT_TRUE(Effects<AbortUnit>().empty());
  Wait(std::chrono::milliseconds(500));
  Heartbeat({});
  Wait(std::chrono::milliseconds(500));
  ASSERT_EQ(Effects<SendHeartbeat>().size(), 1u);
  EXPECT_EQ(Effects<SendHeartbeat>()[0].request.running.at(0).lease, 2u)
      << "the new lease is renewed";
  Compute(MakeLease(1));
  ASSERT_EQ(Effects<SendAnnounce>().size(), 1u) << "it was started under the first one";
  EXPECT_EQ(Effects<SendAnnounce>()[0].request.lease, 1u) << "one computation has one name";
}

TEST_F(ExecutorCore, OtherBaseStateIsRecomputed) {
  Register(11);
  Lease(MakeLease(1));
  Lease(MakeLease(2, 0, "another base"));
  EXPECT_EQ(Effects<AbortUnit>().at(0).lease, 1u);
  EXPECT_EQ(Effects<RunUnit>().at(0).lease.lease, 2u);
  Compute(MakeLease(1));
  EXPECT_TRUE(Effects<SendAnnounce>().empty()) << "a late end of the first one";
}

// A master with another data folder, or with an older copy of it, leases a unit of a job with the
// same name. State 0 of both jobs may be equal.
TEST_F(ExecutorCore, ResultsOfAnotherSpecAreNotReused) {
  Register(11);
  rpc::Lease running = MakeLease(1, 0), announced = MakeLease(2, 1);
  running.spec_sha256 = announced.spec_sha256 = "old";
  Lease(running);
  Lease(announced);
  Compute(announced);
  ASSERT_EQ(Effects<SendAnnounce>().size(), 1u);
  EXPECT_EQ(Effects<SendAnnounce>()[0].request.spec_sha256, "old");
  LoseSession();
  Register(12);
  EXPECT_EQ(Effects<SendAnnounce>().size(), 1u) << "the master says that it is unwanted";
  rpc::Lease anew = MakeLease(101, 1);
  anew.spec_sha256 = "new";
  Lease(anew);
  ASSERT_EQ(Effects<AbortUnit>().size(), 1u) << "of the whole job, not only of this unit";
  EXPECT_EQ(Effects<AbortUnit>()[0].lease, 1u);
  ASSERT_EQ(Effects<DropResult>().size(), 1u);
  EXPECT_EQ(Effects<DropResult>()[0].lease, 2u);
  ASSERT_EQ(Effects<RunUnit>().size(), 1u);
  Compute(running);  // the aborted unit ends late
  EXPECT_TRUE(Effects<SendAnnounce>().empty());
  ASSERT_EQ(Effects<DropResult>().size(), 1u);
  EXPECT_EQ(Effects<DropResult>()[0].lease, 1u);
  Compute(anew);
  ASSERT_EQ(Effects<SendAnnounce>().size(), 1u);
  EXPECT_EQ(Effects<SendAnnounce>()[0].request.spec_sha256, "new");
}

TEST_F(ExecutorCore, RetainedResultIsNotUsedForOtherSpec) {
  Register(11);
  rpc::Lease lease = MakeLease(1);
  lease.spec_sha256 = "old";
  Lease(lease);
  Deliver(lease);
  LoseSession();
  Register(12);
  lease.lease = 101;
  lease.spec_sha256 = "new";
  Lease(lease);
  EXPECT_EQ(Effects<RunUnit>().size(), 1u);
  EXPECT_TRUE(Effects<SendAnnounce>().empty());
}

TEST_F(ExecutorCore, UnitUnderAnotherKernelContractIsComputedAgain) {
  Register(11);
  rpc::Lease lease = MakeLease(1);
  lease.expected_contract = "c512";
  Lease(lease);
  lease.lease = 2;
  lease.expected_contract = "c2";
  Lease(lease);
  EXPECT_EQ(Effects<AbortUnit>().at(0).lease, 1u);
  ASSERT_EQ(Effects<RunUnit>().size(), 1u);
  EXPECT_EQ(Effects<RunUnit>()[0].lease.expected_contract, "c2");
}

TEST_F(ExecutorCore, LateEndDropsOnlyItsBytes) {
  Register(11);
  Lease(MakeLease(1));
  Lease(MakeLease(2, 0, "another base"));
  Compute(MakeLease(2, 0, "another base"));
  Compute(MakeLease(1));
  ASSERT_EQ(Effects<DropResult>().size(), 1u);
  EXPECT_EQ(Effects<DropResult>()[0].lease, 1u);
}

TEST_F(ExecutorCore, TwiceRefusedBytesAreRecomputed) {
  for (const Status& refusal :
       {DataLoss({.message = "not what was announced"}), InvalidArgument({.message = "a size"})}) {
    SetUpCore();
    Register(11);
    Lease(MakeLease(1));
    Compute(MakeLease(1));
    Do(AnnounceAnswered{11, 1, MakeLease(1).unit, rpc::AnnounceReply{rpc::Verdict::kSend}});
    Do(ContributionSent{11, 1, MakeLease(1).unit, refusal});
    EXPECT_TRUE(Effects<DropResult>().empty()) << "the way may have done it";
    Wait(std::chrono::milliseconds(50));
    ASSERT_EQ(Effects<SendContribution>().size(), 1u);
    EXPECT_EQ(Effects<SendContribution>()[0].lease, 1u);
    Do(ContributionSent{11, 1, MakeLease(1).unit, refusal});
    EXPECT_EQ(Effects<DropResult>().size(), 1u);
    ASSERT_EQ(Effects<Warn>().size(), 1u);
    EXPECT_NE(Effects<Warn>()[0].message.find("job/train/1/0"), std::string::npos);
    Heartbeat({});
    Wait(std::chrono::milliseconds(500));
    ASSERT_EQ(Effects<SendHeartbeat>().size(), 1u);
    EXPECT_TRUE(Effects<SendHeartbeat>()[0].request.running.empty());
    Lease(MakeLease(2));
    EXPECT_EQ(Effects<RunUnit>().size(), 1u);
  }
}

TEST_F(ExecutorCore, LostBytesAreSentAgain) {
  Register(11);
  Lease(MakeLease(1));
  Compute(MakeLease(1));
  Do(AnnounceAnswered{11, 1, MakeLease(1).unit, rpc::AnnounceReply{rpc::Verdict::kSend}});
  for (int i = 0; i < 8; ++i) {
    Do(ContributionSent{11, 1, MakeLease(1).unit, Unavailable({.message = "lost"})});
    EXPECT_TRUE(Effects<DropResult>().empty());
    Wait(std::chrono::milliseconds(500));
    EXPECT_EQ(Effects<SendContribution>().size(), 1u);
  }
}

TEST_F(ExecutorCore, SecondLeaseIsComputedAgain) {
  Register(11);
  Lease(MakeLease(1));
  Deliver(MakeLease(1));
  Lease(MakeLease(2));  // the master has the result and leases the unit again to compare
  EXPECT_EQ(Effects<RunUnit>().size(), 1u);
}

TEST_F(ExecutorCore, NewMasterGetsAnnouncementsAtOnce) {
  Register(11);
  Lease(MakeLease(1));
  Deliver(MakeLease(1));
  LoseSession();
  EXPECT_EQ(Effects<SendRegister>().at(0).request.held_contributions.size(), 1u);
  Register(12);
  Lease(MakeLease(9));
  EXPECT_TRUE(Effects<RunUnit>().empty());
  EXPECT_EQ(Effects<SendAnnounce>().size(), 1u);
}

TEST_F(ExecutorCore, LostAnswerIsRequestedAgainWithPauses) {
  Register(11);
  Lease(MakeLease(1));
  Compute(MakeLease(1));
  Do(AnnounceAnswered{11, 1, MakeLease(1).unit, Unavailable({.message = "lost"})});
  EXPECT_TRUE(Effects<SendAnnounce>().empty());
  Wait(std::chrono::milliseconds(50));
  EXPECT_EQ(Effects<SendAnnounce>().size(), 1u);
}

TEST_F(ExecutorCore, FailureIsReportedUntilAcknowledged) {
  Register(11);
  Lease(MakeLease(1));
  Do(UnitFailed{1, MakeLease(1).unit, DataLoss({.message = "bad block", .where = "block 3"}),
                rpc::Fault::kExecutor, true});
  ASSERT_EQ(Effects<SendFailure>().size(), 1u);
  EXPECT_EQ(Effects<SendFailure>()[0].request.code, "data_loss");
  EXPECT_TRUE(Effects<SendFailure>()[0].request.not_finite);
  EXPECT_EQ(Effects<SendFailure>()[0].request.fault, rpc::Fault::kExecutor);
  Do(FailureReported{11, 1, MakeLease(1).unit, Unavailable({.message = "lost"})});
  Wait(std::chrono::milliseconds(50));
  EXPECT_EQ(Effects<SendFailure>().size(), 1u);
  Do(FailureReported{11, 1, MakeLease(1).unit, absl::OkStatus()});
  EXPECT_EQ(Effects<DropResult>().size(), 1u);
}

TEST_F(ExecutorCore, AnswersOfAnOldSessionAreIgnored) {
  Register(11);
  LoseSession();
  Register(12);
  Do(LeaseAnswered{11, rpc::LeaseReply{{MakeLease(1)}}});
  EXPECT_TRUE(Effects<RunUnit>().empty());
  Do(HeartbeatAnswered{11, Aborted({.message = "over"})});
  EXPECT_EQ(core_->session(), 12u);
}

}  // namespace
}  // namespace dl::executor
