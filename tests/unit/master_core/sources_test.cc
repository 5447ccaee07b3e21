// A job that began from another job's checkpoint can start again.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/rounds_of_one.h"

namespace dl::master {
namespace {

// Each checkpoint except the last is deleted as soon as possible.
JobDefinition KeepingOne(int64_t epochs) {
  JobDefinition definition = OneWorker();
  definition.epochs = epochs;
  definition.verify_fraction = 1e-9;  // verification is on, but no unit is sampled
  definition.checkpoint = {.every_rounds = 1, .every_epoch = false, .keep_last = 1, .keep_best = 0};
  return definition;
}

// A job has begun from a checkpoint of another job, which has ended.
class SourcesTest : public RoundsOfOne {
 protected:
  void SetUp() override {
    Begin(3, KeepingOne(1));
    source_ = id_;
    Round(2, 1);
    core_.CheckpointIsWritten(source_, 1);
    ASSERT_EQ(core_.job(source_).record.state, JobState::kSucceeded);
    id_ = *core_.Submit(KeepingOne(4), "heir", {.resume_from = source_ + "@1"});
    core_.StateIsPrepared(id_);
  }
  void RoundWithCheckpoint(int executor, uint64_t bits) {
    Round(executor, bits);
    core_.CheckpointIsWritten(id_, job().at);
  }
  StatusOr<std::string> DeleteSource() {
    return core_.Act({.job = source_, .action = rpc::JobAction::kDelete});
  }
  std::string source_;
};

TEST_F(SourcesTest, RollbackReturnsToFirstCheckpoint) {
  core_.CheckpointIsWritten(id_, 0);
  DL_ASSERT_OK(DeleteSource());
  RoundWithCheckpoint(1, 66);  // a wrong result that no other executor confirms
  RoundWithCheckpoint(2, 3);
  Catch(1, 2, 3);
  ASSERT_EQ(job().log.committed, 0);
  ASSERT_EQ(PreparedRound(), 0);
  EXPECT_EQ(core_.EffectsOf<PrepareState>()[0].source, PrepareState::Source::kCheckpoint);
  core_.StateIsPrepared(id_, 0);
  Round(2, 1);
  EXPECT_EQ(job().log.committed, 1);
}

TEST_F(SourcesTest, FirstCheckpointIsDeletedAfterSuccess) {
  core_.CheckpointIsWritten(id_, 0);
  for (int round = 1; round <= 3; ++round) {
    RoundWithCheckpoint(2, 1);
    EXPECT_TRUE(job().checkpoints.contains(0)) << round;
    // Round 1 is the horizon of e2, so its checkpoint stays too.
    EXPECT_FALSE(job().checkpoints.contains(round - 1) && round > 2) << round;
  }
  RoundWithCheckpoint(2, 1);
  ASSERT_EQ(job().record.state, JobState::kSucceeded);
  EXPECT_FALSE(job().checkpoints.contains(0));
  EXPECT_TRUE(job().checkpoints.contains(4));
  EXPECT_EQ(core_.Query("checkpoints", id_).size(), 1u);
}

TEST_F(SourcesTest, SourceStaysUntilFirstCheckpoint) {
  core_.CheckpointIsWritten(id_, 0, ResourceExhausted({.message = "the disk is full"}));
  Round(2, 1);
  KeepAlive(std::chrono::seconds(40));  // longer than the pause before the next attempt
  core_.CheckpointIsWritten(id_, 1);
  ASSERT_TRUE(job().checkpoints.contains(1));
  for (const bool restarted : {false, true}) {
    if (restarted) core_.Restart();
    EXPECT_THAT(DeleteSource(), dl::test::IsError(absl::StatusCode::kFailedPrecondition,
                                                  "has no checkpoint of its own yet"));
  }
}

using JobOfASeed = RoundsOfOne;

TEST_F(JobOfASeed, HasNoFirstCheckpoint) {
  JobDefinition unverified = KeepingOne(4);
  unverified.verify_fraction = 0;  // no horizon keeps it
  Begin(1, unverified);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
  core_.CheckpointIsWritten(id_, 0);
  Round(1, 1);
  core_.CheckpointIsWritten(id_, 1);
  EXPECT_FALSE(job().checkpoints.contains(0));
}

TEST(Sources, EndedJobIsDroppedAtNextEnd) {
  CoreHarness core({.ended_kept = 0});
  const uint64_t e1 = core.Register("e1");
  JobDefinition definition = CoreHarness::Definition();
  definition.epochs = 1;
  definition.checkpoint = {.every_rounds = 1, .keep_last = 1};
  const auto complete = [&](const std::string& id) {
    core.CompleteRound(id, e1);
    core.CheckpointIsWritten(id, 1);
  };
  const std::string source = core.RunningJob(definition);
  complete(source);
  ASSERT_EQ(core.core().Find(source), nullptr);
  DL_ASSERT_OK(core.Submit(definition, "r-next", {.init_from = source + "@1"}));
  EXPECT_NE(core.core().Find(source), nullptr) << "the new job uses it";
  complete(core.RunningJob(definition));
  EXPECT_EQ(core.core().Find(source), nullptr);
}

}  // namespace
}  // namespace dl::master
