// Results that an executor holds until their round is gathered.
#include "tests/unit/executor_core/core_fixture.h"

namespace dl::executor {
namespace {

class HeldResult : public ExecutorCore {
 protected:
  void SetUp() override {
    Register(11);
    Hold(lease_);
  }
  void Hold(const rpc::Lease& lease) {
    Lease(lease);
    Compute(lease);
    Do(AnnounceAnswered{core_->session(), lease.lease, lease.unit,
                        rpc::AnnounceReply{rpc::Verdict::kHold}});
  }
  rpc::Gather Gather(uint64_t number, std::vector<int32_t> workers = {0}) const {
    rpc::Gather gather{.number = number, .job = "job", .round = 1, .sum = workers.size() > 1};
    for (const int32_t worker : workers) gather.inputs.push_back({.index = worker, .hash = 7});
    return gather;
  }
  void Ask(const rpc::Gather& gather) { Heartbeat({.gathers = {gather}}); }
  void Answer(uint64_t number, rpc::Receipt receipt) {
    Do(GatherSent{core_->session(), number, rpc::ContributionReply{receipt}});
  }
  bool IsListed() {
    Wait(std::chrono::milliseconds(500));
    const auto beats = Effects<SendHeartbeat>();
    EXPECT_EQ(beats.size(), 1u);
    return !beats.empty() && !beats[0].request.running.empty();
  }

  const rpc::Lease lease_ = MakeLease(1);
};

TEST_F(HeldResult, IsListedUntilCommit) {
  ASSERT_EQ(Effects<HoldResult>().size(), 1u);
  EXPECT_EQ(Effects<HoldResult>()[0].lease, 1u);
  EXPECT_TRUE(Effects<SendContribution>().empty());
  Ask(Gather(5));
  ASSERT_EQ(Effects<SendGather>().size(), 1u);
  EXPECT_EQ(Effects<SendGather>()[0].computations, std::vector<uint64_t>{1});
  Answer(5, rpc::Receipt::kComplete);
  EXPECT_TRUE(Effects<DropResult>().empty());
  EXPECT_TRUE(IsListed()) << "it may be asked for again";
  Heartbeat({.committed = {{"job", 2}}});
  ASSERT_EQ(Effects<DropResult>().size(), 1u);
  EXPECT_FALSE(IsListed());
}

TEST_F(HeldResult, IsSentOncePerGather) {
  Ask(Gather(5));
  ASSERT_EQ(Effects<SendGather>().size(), 1u);
  Wait(std::chrono::milliseconds(500));
  Ask(Gather(5));
  EXPECT_TRUE(Effects<SendGather>().empty()) << "it is on its way";
  Answer(5, rpc::Receipt::kComplete);
  Wait(std::chrono::milliseconds(500));
  Ask(Gather(5));
  EXPECT_TRUE(Effects<SendGather>().empty()) << "the heartbeat was older than its arrival";
  Wait(std::chrono::milliseconds(500));
  Ask(Gather(6));
  EXPECT_EQ(Effects<SendGather>().size(), 1u) << "the round was opened again";
}

TEST_F(HeldResult, LeaseAnswerMayRequestIt) {
  Do(LeaseAnswered{core_->session(), rpc::LeaseReply{.gathers = {Gather(5)}}});
  EXPECT_EQ(Effects<SendGather>().size(), 1u);
}

// The answer to the last announcement of a round arrives on one connection, and the request to
// gather on another. The request may arrive first.
TEST_F(HeldResult, RequestBeforeVerdictIsServedAfterIt) {
  const rpc::Lease second = MakeLease(2, 1);
  Lease(second);
  Compute(second);
  Do(LeaseAnswered{core_->session(), rpc::LeaseReply{.gathers = {Gather(5, {0, 1})}}});
  EXPECT_TRUE(Effects<SendGather>().empty());
  Do(AnnounceAnswered{core_->session(), second.lease, second.unit,
                      rpc::AnnounceReply{rpc::Verdict::kHold}});
  EXPECT_EQ(Effects<SendGather>().size(), 1u);
}

TEST_F(HeldResult, SumNeedsAllContributions) {
  Ask(Gather(5, {0, 1}));
  EXPECT_TRUE(Effects<SendGather>().empty()) << "worker 1 is not here";
  Hold(MakeLease(2, 1));
  Wait(std::chrono::milliseconds(500));
  Ask(Gather(5, {0, 1}));
  ASSERT_EQ(Effects<SendGather>().size(), 1u);
  EXPECT_EQ(Effects<SendGather>()[0].computations, (std::vector<uint64_t>{1, 2}));
}

TEST_F(HeldResult, OtherBytesOrSpecAreNotSent) {
  rpc::Gather other = Gather(5);
  other.inputs[0].hash = 8;
  Ask(other);
  EXPECT_TRUE(Effects<SendGather>().empty());
  other = Gather(6);
  other.spec_sha256 = "another";
  Wait(std::chrono::milliseconds(500));
  Ask(other);
  EXPECT_TRUE(Effects<SendGather>().empty());
}

TEST_F(HeldResult, LostResultIsSentAgain) {
  Ask(Gather(5));
  Do(GatherSent{core_->session(), 5, Unavailable({.message = "refused"})});
  EXPECT_TRUE(Effects<SendGather>().empty()) << "at once";
  Wait(core_->NextDeadline() - now_);
  EXPECT_EQ(Effects<SendGather>().size(), 1u);
  Answer(5, rpc::Receipt::kUnwanted);
  Wait(std::chrono::milliseconds(500));
  EXPECT_TRUE(Effects<SendGather>().empty()) << "until it is asked for again";
}

TEST_F(HeldResult, TwiceRefusedResultIsRecomputed) {
  Ask(Gather(5));
  Do(GatherSent{core_->session(), 5, DataLoss({.message = "not what was announced"})});
  Wait(core_->NextDeadline() - now_);
  ASSERT_EQ(Effects<SendGather>().size(), 1u);
  Do(GatherSent{core_->session(), 5, DataLoss({.message = "not what was announced"})});
  EXPECT_EQ(Effects<DropResult>().size(), 1u);
  EXPECT_EQ(Effects<Warn>().size(), 1u);
  EXPECT_FALSE(IsListed());
}

TEST_F(HeldResult, UnreadableResultIsReportedAndOthersStay) {
  const rpc::Lease second = MakeLease(2, 1);
  Hold(second);
  Ask(Gather(5, {0, 1}));
  const Status damaged = DataLoss({.message = "the disk is damaged"});
  Do(ResultLost{2, second.unit, damaged});
  ASSERT_EQ(Effects<SendFailure>().size(), 1u);
  const rpc::FailureReport report = Effects<SendFailure>()[0].request;
  EXPECT_EQ(report.unit, second.unit);
  EXPECT_EQ(report.lease, 2u);
  EXPECT_EQ(report.fault, rpc::Fault::kExecutor);
  EXPECT_EQ(report.message, "an announced result is lost: the disk is damaged");
  Do(GatherSent{core_->session(), 5, damaged});
  EXPECT_TRUE(Effects<DropResult>().empty());
  Do(FailureReported{core_->session(), 2, second.unit, absl::OkStatus()});
  ASSERT_EQ(Effects<DropResult>().size(), 1u);
  EXPECT_EQ(Effects<DropResult>()[0].lease, 2u);
  Ask(Gather(6));
  EXPECT_EQ(Effects<SendGather>().size(), 1u) << "the first result is still here";
}

TEST_F(HeldResult, LossOfOlderComputationIsIgnored) {
  Do(ResultLost{77, lease_.unit, DataLoss({.message = "the disk is damaged"})});
  EXPECT_TRUE(Effects<SendFailure>().empty());
  Ask(Gather(5));
  EXPECT_EQ(Effects<SendGather>().size(), 1u) << "it is still held";
}

TEST_F(HeldResult, LossOfOneResultEndsGather) {
  const rpc::Lease second = MakeLease(2, 1);
  Hold(second);
  Ask(Gather(5, {0, 1}));
  ASSERT_EQ(Effects<SendGather>().size(), 1u);
  Wait(std::chrono::milliseconds(500));
  Heartbeat({.abandon = {second.unit}});
  ASSERT_EQ(Effects<DropResult>().size(), 1u);
  Do(GatherSent{core_->session(), 5, Unavailable({.message = "refused"})});
  EXPECT_TRUE(Effects<SendGather>().empty()) << "it cannot be put together any more";
  Answer(5, rpc::Receipt::kComplete);
  Wait(std::chrono::milliseconds(500));
  Ask(Gather(6));
  EXPECT_EQ(Effects<SendGather>().size(), 1u) << "what is still held may be asked for";
}

TEST_F(HeldResult, IsAnnouncedInNewSession) {
  Ask(Gather(5));
  LoseSession();
  Register(12);
  ASSERT_EQ(Effects<SendAnnounce>().size(), 1u);
  Do(GatherSent{11, 5, rpc::ContributionReply{rpc::Receipt::kComplete}});
  Do(AnnounceAnswered{12, 1, lease_.unit, rpc::AnnounceReply{rpc::Verdict::kHold}});
  Ask(Gather(5));
  EXPECT_EQ(Effects<SendGather>().size(), 1u) << "the number is another session's";
}

TEST_F(HeldResult, TakesNoSlot) {
  const auto asked = Effects<SendLease>();
  Do(LeaseAnswered{core_->session(), rpc::LeaseReply{}});
  ASSERT_EQ(Effects<SendLease>().size(), 1u);
  EXPECT_EQ(Effects<SendLease>()[0].request.free_slots, 2);
}

TEST_F(HeldResult, LeavingExecutorDeliversIt) {
  Do(DrainRequested{});
  EXPECT_TRUE(Effects<SendGoodbye>().empty());
  Ask(Gather(5));
  ASSERT_EQ(Effects<SendGather>().size(), 1u);
  Answer(5, rpc::Receipt::kComplete);
  EXPECT_EQ(Effects<SendGoodbye>().size(), 1u);
}

TEST_F(HeldResult, LeasedAgainInItsSessionIsComputedAgain) {
  Lease(MakeLease(9));
  ASSERT_EQ(Effects<RunUnit>().size(), 1u) << "a second run is a second run";
  EXPECT_EQ(Effects<DropResult>().size(), 1u);
}

}  // namespace
}  // namespace dl::executor
