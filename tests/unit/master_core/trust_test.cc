// Trust: which results the master accepts, and which it revokes.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/rounds_of_one.h"

namespace dl::master {
namespace {

class TrustTest : public RoundsOfOne {
 protected:
  // Returns the messages of the job's rollbacks in the last step.
  std::vector<std::string> Rollbacks() const {
    std::vector<std::string> messages;
    for (const Emit& emit : core_.EffectsOf<Emit>()) {
      const auto* rollback = std::get_if<RollbackEvent>(&emit.content);
      if (emit.job == id_ && rollback != nullptr) messages.push_back(rollback->message);
    }
    return messages;
  }
};

using dl::test::IsError;
using rpc::Verdict;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(TrustTest, QuarantineRollsBackUnconfirmedRounds) {
  Begin(3, Long());
  core_.CheckpointIsWritten(id_, 0);
  Round(2, 1);
  Round(1, 66);  // a wrong result that is not verified
  Round(2, 3);
  Round(3, 4);
  ASSERT_EQ(job().log.committed, 4);
  Catch(1, 2, 3);
  ASSERT_TRUE(core_.core().quarantined().contains("e1"));
  EXPECT_EQ(job().log.committed, 1) << "the last round before the liar's first";
  EXPECT_THAT(Rollbacks(), ElementsAre(HasSubstr("of quarantined e1; rolling back to round 1")));
  EXPECT_EQ(job().record.state, JobState::kRecovering);
  EXPECT_EQ(job().record.rollbacks, 1);
  EXPECT_EQ(PreparedRound(), 0);
  core_.StateIsPrepared(id_, 0);
  core_.Wait(std::chrono::seconds(1));
  for (uint64_t session : e_) core_.Heartbeat(session);
  const rpc::Lease again = LeaseTo(2);
  EXPECT_EQ(again.unit.round, 1) << "replayed";
  Announce(2, again, 1);
  core_.Stage(again, 1, e_[1]);
  core_.RoundIsMerged(id_, 1, State(1, 1));
  EXPECT_EQ(job().counts.replayed_rounds, 1);
  Round(2, 2);
  EXPECT_EQ(job().log.committed, 2);
  const Json result = core_.Query("result", id_);
  EXPECT_EQ(result.value("rollbacks", 0), 1);
}

// An ended job does not continue. Its report names the executor whose results it contains.
TEST_F(TrustTest, EndedJobReportsDistrustedRounds) {
  JobDefinition two_rounds = OneWorker();
  two_rounds.epochs = 2;
  Begin(3, two_rounds);
  const std::string ended = id_;
  Round(2, 1);
  Round(1, 66);
  core_.CheckpointIsWritten(ended, 2);
  ASSERT_EQ(core_.job(ended).record.state, JobState::kSucceeded);
  EXPECT_FALSE(core_.Query("result", ended).contains("distrusted_since_round"));
  id_ = core_.RunningJob(OneWorker());
  Catch(1, 2, 3);
  EXPECT_THAT(core_.Warnings(ended), Contains(HasSubstr("its rounds from 2 on contain results")));
  EXPECT_EQ(core_.Query("result", ended).value("distrusted_since_round", Json()),
            Json({{"e1", 2}}));
}

TEST_F(TrustTest, RollbackSurvivesRestart) {
  Begin(3, Long());
  Round(2, 1);
  Round(1, 66);
  Round(2, 3);
  Catch(1, 2, 3);
  ASSERT_EQ(job().log.committed, 1);
  core_.Restart();
  EXPECT_EQ(job().log.committed, 1);
  EXPECT_EQ(job().log.commits.rbegin()->first, 1);
  EXPECT_EQ(job().record.rollbacks, 1);
  EXPECT_TRUE(job().attestations.unverified_since.contains("e2"));
  EXPECT_FALSE(job().attestations.unverified_since.contains("e1"));
}

TEST_F(TrustTest, AttestationsSurviveRestart) {
  Begin(3, Long());
  Round(2, 1);
  Round(1, 66);
  core_.Restart();
  e_.clear();
  for (int i = 1; i <= 3; ++i) {
    e_.push_back(core_.Register("e" + std::to_string(i), {.incarnation = 2}));
  }
  core_.StateIsPrepared(id_, 0);
  core_.Wait(std::chrono::seconds(1));
  for (uint64_t bits : {1, 66}) {  // replayed results that agree with the commits
    const rpc::Lease lease = LeaseTo(1);
    Announce(1, lease, bits);
    core_.Stage(lease, bits, e_[0]);
    core_.RoundIsMerged(id_, job().at + 1, State(job().at + 1, bits));
  }
  ASSERT_EQ(job().at, 2);
  Catch(1, 2, 3);
  EXPECT_EQ(job().log.committed, 1);
}

TEST_F(TrustTest, ConfirmedRoundsAreKept) {
  JobDefinition definition = Long();
  definition.verify_fraction = 1;
  Begin(3, definition);
  for (int round = 1; round <= 2; ++round) {
    const rpc::Lease one = LeaseTo(1);
    Announce(1, one, 7);
    core_.Stage(one, 7, e_[0]);
    Announce(2, LeaseTo(2), 7);
    core_.RoundIsMerged(id_, round, State(round, 7));
  }
  ASSERT_EQ(job().log.committed, 2);
  Catch(1, 2, 3);
  EXPECT_TRUE(core_.core().quarantined().contains("e1"));
  EXPECT_EQ(job().log.committed, 2);
  EXPECT_EQ(job().record.rollbacks, 0);
}

TEST_F(TrustTest, UnfinishedCheckpointOfRolledBackRoundIsDeleted) {
  Begin(3, Long());
  Round(1, 66);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
  ASSERT_EQ(job().saving.round, 1);
  Catch(1, 2, 3);
  core_.StateIsPrepared(id_, 0);
  Round(2, 1);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
  ASSERT_EQ(job().saving.round, 1);
  core_.Do(CheckpointWritten{
      .job = id_, .round = 1, .state_sha256 = State(1, 66), .manifest = "{\"old\":1}"});
  EXPECT_FALSE(job().HasCheckpoint(1)) << "of another state";
  EXPECT_EQ(core_.EffectsOf<DeleteCheckpoint>().size(), 1u);
  core_.CheckpointIsWritten(id_, 1);
  EXPECT_TRUE(job().HasCheckpoint(1));
}

TEST_F(TrustTest, ContradictingLateResultReopensRound) {
  Begin(3, Long());
  const rpc::Lease late = LeaseTo(1);
  const rpc::AnnounceRequest other = core_.Announcement(e_[0], late, 7);
  core_.Wait(std::chrono::milliseconds(2100));
  Round(2, 66);  // the committed result is the wrong one
  Round(2, 66);
  core_.Do(Asked<Announcement>{902, ParseAnnouncement(other)});
  EXPECT_EQ(job().log.committed, 0);
  core_.StateIsPrepared(id_, 0);
  EXPECT_TRUE(job().units.at(0).disputed());
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty());
  EXPECT_TRUE(core_.LeaseUnits(e_[1]).empty());
  EXPECT_EQ(Announce(3, LeaseTo(3), 7), Verdict::kSend);
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e2"}));
}

TEST_F(TrustTest, LateResultAgainstTwoQuarantinesExecutor) {
  JobDefinition definition = Long();
  definition.verify_fraction = 1;
  Begin(3, definition);
  const rpc::Lease late = LeaseTo(3);
  const rpc::AnnounceRequest other = core_.Announcement(e_[2], late, 66);
  core_.Wait(std::chrono::milliseconds(2100));
  for (uint64_t session : e_) core_.Heartbeat(session);
  const rpc::Lease one = LeaseTo(1);
  Announce(1, one, 7);
  core_.Stage(one, 7, e_[0]);
  Announce(2, {.unit = one.unit, .base_sha256 = one.base_sha256, .spec_sha256 = one.spec_sha256},
           7);
  core_.RoundIsMerged(id_, 1, State(1, 7));
  ASSERT_EQ(job().log.committed, 1);
  core_.Do(Asked<Announcement>{902, ParseAnnouncement(other)});
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e3"}));
  EXPECT_EQ(job().log.committed, 1);
}

// Without verification nothing is ever confirmed, and one wrong result would revoke all rounds.
TEST_F(TrustTest, UnverifiedJobKeepsRoundsWithWarning) {
  JobDefinition definition = Long();
  definition.verify_fraction = 0;
  Begin(3, definition);
  Round(1, 1);
  Round(2, 2);
  Catch(1, 2, 3);
  ASSERT_TRUE(core_.core().quarantined().contains("e1"));
  EXPECT_EQ(job().log.committed, 2);
  EXPECT_EQ(job().record.rollbacks, 0);
  EXPECT_THAT(core_.Warnings(id_), Contains(HasSubstr("its rounds from 1 on contain results")));
  EXPECT_EQ(core_.Query("result", id_).value("distrusted_since_round", Json()), Json({{"e1", 1}}));
  core_.Restart();
  EXPECT_EQ(job().log.committed, 2);
}

// The fields of an announcement are compared as well as its bytes.
TEST_F(TrustTest, FlippedBitInAnnouncementOpensDispute) {
  Begin(3, Verified());
  const rpc::Lease first = LeaseTo(1);
  rpc::AnnounceRequest flipped = core_.Announcement(e_[0], first, 7);
  flipped.example_hash_sum ^= 1;
  core_.Do(Asked<Announcement>{901, ParseAnnouncement(flipped)});
  ASSERT_TRUE(job().units.at(0).accepted);
  core_.Stage(first, 7, e_[0]);
  EXPECT_EQ(Announce(2, LeaseTo(2), 7), Verdict::kUnwanted);
  EXPECT_TRUE(job().units.at(0).disputed());
  EXPECT_EQ(Announce(3, LeaseTo(3), 7), Verdict::kSend);
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e1"}));
}

// For a unit that was not verified, the error is found at the end of the epoch.
TEST_F(TrustTest, WrongEpochSumRecomputesUnitsTwice) {
  JobDefinition definition = OneWorker();
  definition.plan = {.examples = 4, .workers = 1, .batch_size = 2, .averaging_frequency = 1};
  Begin(3, definition);  // an epoch has two rounds
  for (const uint64_t flip : {1, 0}) {
    const rpc::Lease lease = LeaseTo(1);
    rpc::AnnounceRequest said = core_.Announcement(e_[0], lease, 7);
    said.example_hash_sum ^= flip;
    core_.Do(Asked<Announcement>{901, ParseAnnouncement(said)});
    core_.Stage(lease, 7, e_[0]);
    core_.RoundIsMerged(id_, job().at + 1, State(job().at + 1, 7));
  }
  EXPECT_EQ(job().log.committed, 0);
  EXPECT_EQ(job().record.rollbacks, 1);
  core_.StateIsPrepared(id_, 0);
  for (int round = 1; round <= 2; ++round) {
    const rpc::Lease lease = LeaseTo(1);
    Announce(1, lease, 7);
    core_.Stage(lease, 7, e_[0]);
    EXPECT_EQ(job().phase, Phase::kTraining) << "round " << round << " wants a second result";
    Announce(2, LeaseTo(2), 7);
    core_.RoundIsMerged(id_, round, State(round, 7));
  }
  EXPECT_EQ(job().log.committed, 2);
  EXPECT_FALSE(job().units.at(0).verify) << "the next epoch is as before";
}

TEST_F(TrustTest, WrongOneRoundEpochFailsTheSecondTime) {
  Begin(1);
  for (int time = 1; time <= 2; ++time) {
    EXPECT_EQ(state(), JobState::kRunning);
    for (int result = 1; result <= time; ++result) {  // the second time it confirms its own result
      const rpc::Lease lease = LeaseTo(1);
      rpc::AnnounceRequest said = core_.Announcement(e_[0], lease, 7);
      said.example_hash_sum ^= 1;
      core_.Do(Asked<Announcement>{901, ParseAnnouncement(said)});
      core_.Stage(lease, 7, e_[0]);
    }
    core_.RoundIsMerged(id_, 1);
  }
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kExampleSum);
}

TEST_F(TrustTest, DisagreementDuringMergeOpensDispute) {
  Begin(3);
  const rpc::Lease slow = LeaseTo(1);
  core_.Wait(std::chrono::milliseconds(2100));
  for (uint64_t session : e_) core_.Heartbeat(session);
  const rpc::Lease lease = LeaseTo(2);
  Announce(2, lease, 66);
  core_.Stage(lease, 66, e_[1]);
  ASSERT_EQ(job().phase, Phase::kMerging);
  const uint64_t stale = job().merge;
  Announce(1, slow, 7);
  EXPECT_EQ(job().phase, Phase::kTraining);
  EXPECT_TRUE(job().units.at(0).disputed());
  core_.Do(RoundMerged{.job = id_, .round = 1, .merge = stale, .names = {.state_sha256 = "lie"}});
  EXPECT_EQ(job().log.committed, 0) << "of what is disputed";
  const rpc::Lease third = LeaseTo(3);
  EXPECT_EQ(Announce(3, third, 7), Verdict::kSend);
  core_.Stage(third, 7, e_[2]);
  ASSERT_EQ(job().phase, Phase::kMerging);
  core_.Do(RoundMerged{.job = id_, .round = 1, .merge = stale, .names = {.state_sha256 = "lie"}});
  EXPECT_EQ(job().log.committed, 0);
  core_.RoundIsMerged(id_, 1, "truth");
  EXPECT_EQ(job().names.state_sha256, "truth");
}

// Bytes belong to one acceptance. A job that was cancelled and resumed may have accepted the same
// result of the same session again.
TEST_F(TrustTest, LateAcceptanceStagesNothing) {
  Begin(1);
  core_.CheckpointIsWritten(id_, 0);
  const rpc::Lease first = LeaseTo(1);
  EXPECT_EQ(Announce(1, first, 7), Verdict::kSend);
  const uint64_t before = job().units.at(0).result.expected;
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCancel}));
  core_.CheckpointIsWritten(id_, 0);
  ASSERT_EQ(state(), JobState::kCancelled);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kResume}));
  core_.StateIsPrepared(id_, 0);
  const rpc::Lease again = LeaseTo(1);
  EXPECT_EQ(Announce(1, again, 7), Verdict::kSend);
  core_.Do(ContributionStaged{again.unit, before, e_[0]});
  EXPECT_FALSE(job().units.at(0).result.staged);
  core_.Stage(again, 7, e_[0]);
  EXPECT_EQ(job().phase, Phase::kMerging);
}

}  // namespace
}  // namespace dl::master
