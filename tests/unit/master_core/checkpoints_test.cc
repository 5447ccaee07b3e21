// The rounds that get a checkpoint. A slow disk must not change that at the end of an epoch.
#include "gtest/gtest.h"
#include "master/core/record_keys.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

JobDefinition OneWorkerKeeping(int64_t last) {
  JobDefinition definition = CoreHarness::Definition();
  definition.plan.workers = 1;
  definition.checkpoint = {.every_epoch = true, .keep_last = last, .keep_best = 0};
  return definition;
}

class EpochEnds : public testing::Test {
 protected:
  // An epoch has two rounds. Round 1 is committed, and its checkpoint is being written.
  void SetUp() override {
    e1_ = core_.Register("e1");
    id_ = core_.RunningJob(OneWorkerKeeping(9));
    core_.CompleteRound(id_, e1_);
    DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
    ASSERT_EQ(job().saving.round, 1);
  }
  const Job& job() const { return core_.job(id_); }

  CoreHarness core_;
  uint64_t e1_ = 0;
  std::string id_;
};

TEST_F(EpochEnds, WaitForCheckpoint) {
  core_.CompleteRound(id_, e1_);
  EXPECT_EQ(job().phase, Phase::kCheckpointing);
  EXPECT_TRUE(core_.LeaseUnits(e1_).empty());
  core_.CheckpointIsWritten(id_, 1);
  EXPECT_EQ(job().saving.round, 2);
  EXPECT_EQ(job().phase, Phase::kTraining);
  core_.CheckpointIsWritten(id_, 2);
  EXPECT_TRUE(job().HasCheckpoint(2));
}

TEST_F(EpochEnds, OtherRoundsDoNotWaitForCheckpoint) {
  core_.CheckpointIsWritten(id_, 1);
  core_.CompleteRound(id_, e1_);
  ASSERT_EQ(job().saving.round, 2);
  EXPECT_EQ(job().phase, Phase::kTraining);
  core_.CompleteRound(id_, e1_);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
  EXPECT_EQ(job().phase, Phase::kTraining) << "of a round in mid-epoch the next one will do";
}

TEST_F(EpochEnds, CheckpointIsWrittenAfterRestart) {
  core_.CheckpointIsWritten(id_, 1);
  core_.CompleteRound(id_, e1_);
  ASSERT_EQ(job().saving.round, 2);  // never finished
  core_.Restart();
  core_.StateIsPrepared(id_, 1);
  core_.Wait(std::chrono::seconds(2));  // no executor offers the newer state
  e1_ = core_.Register("e1", {.incarnation = 2});
  core_.CompleteRound(id_, e1_);  // computed again
  EXPECT_EQ(job().at, 2);
  EXPECT_EQ(job().saving.round, 2);
}

// Round 3 was committed while the checkpoint of round 2 was being written. Then the master
// restarts.
TEST_F(EpochEnds, RecomputedRoundWritesCheckpoint) {
  core_.CheckpointIsWritten(id_, 1);
  core_.CompleteRound(id_, e1_);
  core_.CompleteRound(id_, e1_);
  ASSERT_EQ(job().at, 3);
  ASSERT_EQ(job().saving.round, 2);
  const std::string part = job().names.parts.at("model");
  core_.Restart();
  e1_ = core_.Register("e1", {.incarnation = 2, .held_parts = {part}});
  core_.StateIsPrepared(id_, 1);
  EXPECT_TRUE(core_.EffectsOf<ExpectPart>().empty()) << "with that state round 2 were lost";
  core_.CompleteRound(id_, e1_);
  EXPECT_EQ(job().saving.round, 2);
  core_.CompleteRound(id_, e1_);
  EXPECT_EQ(job().at, 3);
  EXPECT_EQ(job().counts.replayed_rounds, 2);
  core_.CheckpointIsWritten(id_, 2);
  EXPECT_TRUE(job().HasCheckpoint(2));
  EXPECT_EQ(job().record.state, JobState::kRunning);
}

// Checkpoints of rounds 2 and 4 were written, and that of round 2 was deleted. Round 5 is
// committed.
TEST_F(EpochEnds, DeletedCheckpointIsNotRecomputed) {
  for (int64_t round = 2; round <= 5; ++round) {
    core_.CheckpointIsWritten(id_, round - 1);
    core_.CompleteRound(id_, e1_);
  }
  ASSERT_EQ(job().at, 5);
  storage::MetaBatch batch;
  batch.Delete(keys::Checkpoint(id_, 2));
  DL_ASSERT_OK(core_.store.Write(batch));
  const std::string part = job().names.parts.at("model");
  core_.Restart();
  e1_ = core_.Register("e1", {.incarnation = 2, .held_parts = {part}});
  core_.StateIsPrepared(id_, 4, DataLoss({.message = "the disk"}));
  core_.StateIsPrepared(id_, 1);
  EXPECT_EQ(core_.EffectsOf<ExpectPart>().size(), 1u);
  core_.Wait(std::chrono::seconds(1));
  core_.CompleteRound(id_, e1_);
  EXPECT_EQ(job().at, 2);
  EXPECT_EQ(job().saving.round, -1);
}

TEST_F(EpochEnds, CheckpointWrittenAfterEndIsDeleted) {
  for (const rpc::Lease& lease : core_.LeaseUnits(e1_)) {
    DL_ASSERT_OK(core_.Announce(e1_, lease, 7));
    core_.Stage(lease, 7, e1_);
  }
  core_.Do(RoundMerged{
      .job = id_, .round = 2, .merge = job().merge, .status = Internal({.message = "no memory"})});
  ASSERT_EQ(job().record.state, JobState::kFailed);
  core_.CheckpointIsWritten(id_, 1, Internal({.message = "nothing was written"}));
  EXPECT_TRUE(core_.EffectsOf<DeleteCheckpoint>().empty());
  core_.CheckpointIsWritten(id_, 1);
  EXPECT_EQ(core_.EffectsOf<DeleteCheckpoint>().size(), 1u);
  EXPECT_FALSE(job().HasCheckpoint(1));
}

TEST_F(EpochEnds, JobCanBeCancelledDuringWrite) {
  core_.CompleteRound(id_, e1_);
  ASSERT_EQ(job().phase, Phase::kCheckpointing);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCancel}));
  core_.CheckpointIsWritten(id_, 1);
  EXPECT_EQ(job().saving.round, 2);
  core_.CheckpointIsWritten(id_, 2);
  EXPECT_EQ(job().record.state, JobState::kCancelled);
}

// A job that keeps one checkpoint has two, because a client is reading the older one.
class BeingRead : public testing::Test {
 protected:
  void SetUp() override {
    e1_ = core_.Register("e1");
    JobDefinition definition = OneWorkerKeeping(1);
    definition.epochs = 5;
    id_ = core_.RunningJob(definition);
    EpochEnds();
    core_.Do(CheckpointRead{{id_, 2}});
    core_.Do(CheckpointRead{{id_, 3}});  // does not exist, so nothing is kept for it
    core_.Do(CheckpointRead{{"none-1", 2}});
    EpochEnds();
  }
  void EpochEnds() {
    core_.CompleteRound(id_, e1_);
    core_.CompleteRound(id_, e1_);
    core_.CheckpointIsWritten(id_, core_.job(id_).at);
  }
  bool OlderIsThere() const { return core_.job(id_).HasCheckpoint(2); }

  // Nearly the time for which it is kept.
  static constexpr Duration kAlmost = std::chrono::seconds(59);
  CoreHarness core_;
  uint64_t e1_ = 0;
  std::string id_;
};

TEST_F(BeingRead, CheckpointStaysUntilReaderIsSilent) {
  ASSERT_TRUE(core_.job(id_).HasCheckpoint(4));
  EXPECT_TRUE(OlderIsThere());
  core_.Wait(kAlmost);
  core_.Do(CheckpointRead{{id_, 2}});
  core_.Wait(kAlmost);
  EXPECT_TRUE(OlderIsThere());
  // The executor was silent too, so there is no other deadline.
  EXPECT_EQ(core_.core().NextDeadline(), core_.now + std::chrono::seconds(1));
  core_.Wait(std::chrono::seconds(2));
  EXPECT_FALSE(OlderIsThere());
}

TEST_F(BeingRead, CheckpointIsDeletedAfterAnHourOfReading) {
  const Duration step = std::chrono::seconds(50);
  for (Duration passed{}; passed + step < Checkpoints::kLongestRead; passed += step) {
    ASSERT_TRUE(OlderIsThere());
    core_.Do(CheckpointRead{{id_, 2}});
    core_.Wait(step);
  }
  core_.Do(CheckpointRead{{id_, 2}});
  core_.Wait(step);
  EXPECT_FALSE(OlderIsThere());
}

TEST_F(BeingRead, UnreadCheckpointIsDeletedAtOnce) {
  core_.Do(CheckpointRead{{id_, 4}});
  EpochEnds();
  EXPECT_TRUE(core_.job(id_).HasCheckpoint(4)) << "read";
  EpochEnds();
  EXPECT_FALSE(core_.job(id_).HasCheckpoint(6)) << "not read";
  EXPECT_TRUE(core_.job(id_).HasCheckpoint(8)) << "the last";
}

TEST_F(BeingRead, CheckpointIsDeletedWhenItsLastReaderEnds) {
  EpochEnds();
  core_.Do(ReadEnded{{id_, 2}, 0});
  EXPECT_TRUE(OlderIsThere()) << "a reader without a number ends by time";
  core_.Do(CheckpointRead{{id_, 6}, 7});
  core_.Do(CheckpointRead{{id_, 6}, 8});
  EpochEnds();
  ASSERT_TRUE(core_.job(id_).HasCheckpoint(6));
  core_.Do(ReadEnded{{id_, 6}, 9});  // another reader
  core_.Do(ReadEnded{{id_, 6}, 7});
  EXPECT_TRUE(core_.job(id_).HasCheckpoint(6)) << "reader 8 has not ended";
  core_.Do(ReadEnded{{id_, 6}, 8});
  EXPECT_FALSE(core_.job(id_).HasCheckpoint(6));
}

TEST_F(BeingRead, ReadersAboveTheLimitEndByTime) {
  const auto readers = static_cast<uint64_t>(Checkpoints::kMostReaders);
  for (uint64_t reader = 1; reader <= readers + 5; ++reader)
    core_.Do(CheckpointRead{{id_, 4}, reader});
  EpochEnds();
  for (uint64_t reader = 1; reader <= readers + 5; ++reader) core_.Do(ReadEnded{{id_, 4}, reader});
  EXPECT_TRUE(core_.job(id_).HasCheckpoint(4));
  core_.Wait(std::chrono::seconds(61));
  EXPECT_FALSE(core_.job(id_).HasCheckpoint(4));
}

TEST(CheckpointTriggers, SecondsPassWithoutRoundsGiveNoCheckpoint) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  JobDefinition definition = CoreHarness::Definition();
  definition.checkpoint.every = std::chrono::seconds(30);
  const std::string id = core.RunningJob(definition);
  const auto live_for = [&](int seconds) {
    for (int i = 0; i < seconds; ++i) {
      core.Wait(std::chrono::seconds(1));
      core.Heartbeat(e1);
    }
  };
  core.CompleteRound(id, e1);
  live_for(29);
  EXPECT_EQ(core.job(id).saving.round, -1);
  live_for(2);
  EXPECT_EQ(core.job(id).saving.round, 1);
  core.CheckpointIsWritten(id, 1);
  core.CompleteRound(id, e1);
  EXPECT_EQ(core.job(id).saving.round, -1);
  live_for(31);
  EXPECT_EQ(core.job(id).saving.round, 2);
}

TEST(CheckpointTriggers, EveryRoundsCountsRounds) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  JobDefinition definition = CoreHarness::Definition();
  definition.epochs = 7;
  definition.checkpoint.every_rounds = 3;
  const std::string id = core.RunningJob(definition);
  std::vector<int64_t> written;
  for (int64_t round = 1; round <= 6; ++round) {
    core.CompleteRound(id, e1);
    if (core.job(id).saving.round != round) continue;
    written.push_back(round);
    core.CheckpointIsWritten(id, round);
  }
  EXPECT_EQ(written, (std::vector<int64_t>{3, 6}));
}

}  // namespace
}  // namespace dl::master
