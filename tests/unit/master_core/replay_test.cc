// Rounds that are computed again, compared with their commits unit by unit.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/rounds_of_one.h"

namespace dl::master {
namespace {

using rpc::Verdict;

// A round that is computed again is compared unit by unit with its commit.
class Replay : public RoundsOfOne {
 protected:
  void SetUp() override {
    Begin(3, Long());
    core_.CheckpointIsWritten(id_, 0);
    Round(2, 7);
    core_.Restart();
    e_.clear();
    for (int i = 1; i <= 3; ++i) {
      e_.push_back(core_.Register("e" + std::to_string(i), {.incarnation = 2}));
    }
    core_.StateIsPrepared(id_, 0);
    core_.Wait(std::chrono::seconds(1));
    ASSERT_TRUE(job().replaying());
  }
};

TEST_F(Replay, WrongUnitIsRecomputedElsewhere) {
  Announce(1, LeaseTo(1), 66);
  EXPECT_EQ(state(), JobState::kRecovering);
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty());
  const rpc::Lease again = LeaseTo(2);
  EXPECT_EQ(Announce(2, again, 7), Verdict::kSend);
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e1"}));
  core_.Stage(again, 7, e_[1]);
  core_.RoundIsMerged(id_, 1, State(1, 7));
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_EQ(job().counts.replayed_rounds, 1);
}

TEST_F(Replay, TwoContradictionsRevokeCommit) {
  Announce(1, LeaseTo(1), 8);
  Announce(3, LeaseTo(3), 8);
  EXPECT_EQ(job().log.committed, 0);
  EXPECT_EQ(job().record.rollbacks, 1);
  EXPECT_TRUE(core_.core().quarantined().empty());
  core_.StateIsPrepared(id_, 0);
  const rpc::Lease again = LeaseTo(1);
  EXPECT_EQ(Announce(1, again, 8), Verdict::kSend);
  core_.Stage(again, 8, e_[0]);
  core_.RoundIsMerged(id_, 1, State(1, 8));
  EXPECT_EQ(job().log.committed, 1);
}

// The commit rests on e2's result alone. A kept result that e2 repeats is no independent evidence,
// unlike a new computation.
TEST_F(Replay, RepeatedResultOfSameExecutorAddsNoVote) {
  e_[1] = core_.Register(
      "e2", {.incarnation = 3, .held_contributions = {{{id_, UnitKind::kTrain, 1, 0}, 7}}});
  Announce(1, LeaseTo(1), 8);
  Announce(2, LeaseTo(2), 7);
  EXPECT_TRUE(core_.core().quarantined().empty());
  EXPECT_EQ(job().log.committed, 1);
  Announce(3, LeaseTo(3), 8);
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e2"}));
  EXPECT_EQ(job().log.committed, 0);
}

TEST_F(Replay, OwnCommitDoesNotContradictNan) {
  core_.Do(Asked<rpc::GoodbyeRequest>{990, {.session = e_[0]}});
  core_.Do(Asked<rpc::GoodbyeRequest>{991, {.session = e_[2]}});
  DL_EXPECT_OK(core_.ReportFailure(e_[1], LeaseTo(2), "invalid_argument", /*not_finite=*/true));
  core_.Wait(std::chrono::seconds(1));
  core_.Heartbeat(e_[1]);
  EXPECT_EQ(Announce(2, LeaseTo(2), 7), Verdict::kSend);
  EXPECT_TRUE(core_.core().quarantined().empty());
}

// Every unit needs two equal results. The committed result is e1's alone, because no other executor
// existed. After the restart, e1 has kept this result.
class VerifiedReplay : public RoundsOfOne {
 protected:
  void SetUp() override {
    JobDefinition definition = Long();
    definition.verify_fraction = 1;
    Begin(1, definition);
    core_.CheckpointIsWritten(id_, 0);
    AnnounceAndStage(1);
    Announce(1, LeaseTo(1), 7);
    core_.RoundIsMerged(id_, 1, State(1, 7));
    ASSERT_EQ(job().log.committed, 1);
    core_.Restart();
    e_ = {core_.Register(
        "e1", {.incarnation = 1, .held_contributions = {{{id_, UnitKind::kTrain, 1, 0}, 7}}})};
  }
  void BeginReplay() {
    core_.StateIsPrepared(id_, 0);
    core_.Wait(std::chrono::seconds(1));
    ASSERT_TRUE(job().replaying());
  }
  void AnnounceAndStage(int executor) {
    const rpc::Lease lease = LeaseTo(executor);
    EXPECT_EQ(Announce(executor, lease, 7), Verdict::kSend);
    core_.Stage(lease, 7, e_[static_cast<size_t>(executor - 1)]);
  }
};

TEST_F(VerifiedReplay, KeptResultDoesNotConfirmCommit) {
  e_.push_back(core_.Register("e2"));
  ASSERT_NO_FATAL_FAILURE(BeginReplay());
  AnnounceAndStage(1);
  EXPECT_EQ(job().phase, Phase::kTraining) << "a second opinion is missing";
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty());
  Announce(2, LeaseTo(2), 7);
  ASSERT_EQ(job().phase, Phase::kMerging);
  core_.RoundIsMerged(id_, 1, State(1, 7));
  EXPECT_EQ(job().counts.replayed_rounds, 1);
}

TEST_F(VerifiedReplay, NewComputationConfirmsCommit) {
  e_.push_back(core_.Register("e2"));
  ASSERT_NO_FATAL_FAILURE(BeginReplay());
  AnnounceAndStage(2);
  EXPECT_EQ(job().phase, Phase::kMerging);
}

TEST_F(VerifiedReplay, SoleExecutorConfirmsByComputingAgain) {
  ASSERT_NO_FATAL_FAILURE(BeginReplay());
  AnnounceAndStage(1);
  EXPECT_EQ(job().phase, Phase::kTraining) << "it only repeated its result";
  Announce(1, LeaseTo(1), 7);
  EXPECT_EQ(job().phase, Phase::kMerging);
}

TEST_F(Replay, UndecidedDisputeFailsJob) {
  Announce(1, LeaseTo(1), 66);
  core_.Do(Asked<rpc::GoodbyeRequest>{990, {.session = e_[1]}});
  core_.Do(Asked<rpc::GoodbyeRequest>{991, {.session = e_[2]}});
  e_.resize(1);
  KeepAlive(std::chrono::seconds(25));
  EXPECT_EQ(state(), JobState::kRecovering);
  KeepAlive(std::chrono::seconds(10));
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kReplayMismatch);
}

}  // namespace
}  // namespace dl::master
