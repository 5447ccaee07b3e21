// What a master still knows of a job that ended, and what it needs to go on with it.
#include "gtest/gtest.h"
#include "master/core/keys.h"
#include "master/recovery.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using dl::test::IsError;

class Ended : public testing::Test {
 protected:
  // Four rounds are committed, each an epoch that was evaluated; then the job is cancelled.
  void SetUp() override {
    e1_ = core_.Register("e1");
    JobDefinition definition = CoreHarness::Definition();
    definition.epochs = 5;
    definition.test_examples = definition.examples_per_evaluation_unit = 1;
    definition.checkpoint.every_rounds = 2;
    definition.checkpoint.keep_last = 1;
    id_ = core_.RunningJob(definition);
    for (int64_t round = 1; round <= 4; ++round) {
      core_.CompleteRound(id_, e1_);
      if (round % 2 == 0) core_.CheckpointIsWritten(id_, round);
      const rpc::Lease lease = core_.LeaseUnits(e1_).at(0);
      DL_ASSERT_OK(core_.Announce(e1_, lease, static_cast<uint64_t>(round)));
    }
    DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCancel}));
    ASSERT_EQ(job().record.state, JobState::kCancelled);
  }
  const Job& job() const { return core_.job(id_); }
  rpc::JobActionRequest Resume() const { return {.job = id_, .action = rpc::JobAction::kResume}; }

  CoreHarness core_;
  uint64_t e1_ = 0;
  std::string id_;
};

TEST_F(Ended, KeepsTheEndOfItsLogAlone) {
  EXPECT_EQ(job().commits.size(), 2u);      // a late result of the last round is compared
  EXPECT_EQ(job().evaluations.size(), 2u);  // those of checkpoints: the best, the last
  EXPECT_EQ(job().log_length, 9);
  core_.Restart();
  EXPECT_EQ(job().commits.size(), 1u);
  EXPECT_EQ(job().evaluations.size(), 2u);
  EXPECT_EQ(job().log_length, 9);
}

TEST_F(Ended, TellsTheSameBehindARestart) {
  for (const char* what : {"result", "checkpoints"}) {
    const Json before = core_.Query(what, id_);
    ASSERT_FALSE(before.is_null()) << what;
    core_.Restart();
    EXPECT_EQ(core_.Query(what, id_), before) << what;
  }
  EXPECT_EQ(core_.Query("result", id_).at("metrics").at("test").at("loss"), 4.0);
}

TEST_F(Ended, AStartDoesNotReadItsRounds) {
  storage::MetaBatch batch;
  batch.Put(keys::LogRecord(id_, 3), "damaged");
  DL_ASSERT_OK(core_.store.Write(batch));
  core_.Restart();
  EXPECT_EQ(job().committed, 4);
  EXPECT_THAT(core_.Act(Resume()), IsError(absl::StatusCode::kDataLoss, "record 3"));
  EXPECT_EQ(job().record.state, JobState::kCancelled);
}

TEST_F(Ended, AStoreWithoutItsEndGetsOne) {
  storage::MetaBatch batch;
  batch.Delete(keys::Ended(id_));
  DL_ASSERT_OK(core_.store.Write(batch));
  core_.Restart();
  EXPECT_EQ(job().commits.size(), 2u);
  EXPECT_TRUE(core_.store.Get(keys::Ended(id_))->has_value());
}

TEST_F(Ended, ResumesWithItsWholeLog) {
  core_.Restart();
  e1_ = core_.Register("e1", {.incarnation = 2});
  DL_ASSERT_OK(core_.Act(Resume()));
  EXPECT_EQ(job().commits.size(), 5u);
  EXPECT_EQ(job().evaluations.size(), 4u);
  core_.StateIsPrepared(id_, 4);
  core_.CompleteRound(id_, e1_);
  EXPECT_EQ(job().committed, 5);
  EXPECT_TRUE(LoadLog(core_.store, id_).ok());
}

TEST_F(Ended, IsNotResumedWithALogThatGrewMeanwhile) {
  UserAction action{.request = Resume()};
  action.request.request_id = "r-resume";
  action.log = *LoadLog(core_.store, id_);
  action.log.last_sha256 = action.log.records.back().previous;
  core_.Do(Asked<UserAction>{77, action});
  EXPECT_THAT(core_.EffectsOf<Answer>().at(0).status,
              IsError(absl::StatusCode::kUnavailable, "being written"));
  EXPECT_EQ(job().record.state, JobState::kCancelled);
  EXPECT_EQ(job().record.attempt, 1);
}

}  // namespace
}  // namespace dl::master
