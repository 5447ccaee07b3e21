// Which rounds get a checkpoint, and what a slow disk changes about that: nothing at the end of an
// epoch.
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

class EpochEnds : public testing::Test {
 protected:
  // Two rounds an epoch. Round 1 is committed and its checkpoint is being written.
  void SetUp() override {
    e1_ = core_.Register("e1");
    JobDefinition definition = CoreHarness::Definition();
    definition.plan.workers = 1;
    definition.checkpoint = {.every_epoch = true, .keep_last = 9, .keep_best = 0};
    id_ = core_.RunningJob(definition);
    core_.CompleteRound(id_, e1_);
    DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
    ASSERT_EQ(job().writing_checkpoint, 1);
  }
  const Job& job() const { return core_.job(id_); }

  CoreHarness core_;
  uint64_t e1_ = 0;
  std::string id_;
};

TEST_F(EpochEnds, WaitForTheDisk) {
  core_.CompleteRound(id_, e1_);
  EXPECT_EQ(job().phase, Phase::kCheckpointing);
  EXPECT_TRUE(core_.LeaseUnits(e1_).empty());
  core_.CheckpointIsWritten(id_, 1);
  EXPECT_EQ(job().writing_checkpoint, 2);
  EXPECT_EQ(job().phase, Phase::kTraining);
  core_.CheckpointIsWritten(id_, 2);
  EXPECT_TRUE(job().HasCheckpoint(2));
}

TEST_F(EpochEnds, OnlyThey) {
  core_.CheckpointIsWritten(id_, 1);
  core_.CompleteRound(id_, e1_);
  ASSERT_EQ(job().writing_checkpoint, 2);
  EXPECT_EQ(job().phase, Phase::kTraining);
  core_.CompleteRound(id_, e1_);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
  EXPECT_EQ(job().phase, Phase::kTraining) << "of a round in mid-epoch the next one will do";
}

TEST_F(EpochEnds, AreWrittenAlsoWhenARestartCameBetween) {
  core_.CheckpointIsWritten(id_, 1);
  core_.CompleteRound(id_, e1_);
  ASSERT_EQ(job().writing_checkpoint, 2);  // never finished
  core_.Restart();
  core_.StateIsPrepared(id_, 1);
  core_.Wait(std::chrono::seconds(2));  // nobody offers the newer state
  e1_ = core_.Register("e1", {.incarnation = 2});
  core_.CompleteRound(id_, e1_);  // once more
  EXPECT_EQ(job().at, 2);
  EXPECT_EQ(job().writing_checkpoint, 2);
}

TEST_F(EpochEnds, CanBeCancelledMeanwhile) {
  core_.CompleteRound(id_, e1_);
  ASSERT_EQ(job().phase, Phase::kCheckpointing);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCancel}));
  core_.CheckpointIsWritten(id_, 1);
  EXPECT_EQ(job().writing_checkpoint, 2);
  core_.CheckpointIsWritten(id_, 2);
  EXPECT_EQ(job().record.state, JobState::kCancelled);
}

}  // namespace
}  // namespace dl::master
