// A job from submission to its end, its position in the queue, and reasons for refusal.
#include <cerrno>

#include "base/system_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "master/core/record_keys.h"
#include "tests/support/plain_strategy.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using dl::test::IsError;

const JobDefinition kJob = CoreHarness::Definition();

TEST(Submission, RetryGivesSameJobAfterRestart) {
  CoreHarness core;
  const std::string id = *core.Submit(kJob, "r1");
  EXPECT_EQ(*core.Submit(kJob, "r1"), id);
  core.Restart();
  EXPECT_EQ(*core.Submit(kJob, "r1"), id);
  EXPECT_NE(*core.Submit(kJob, "r2"), id);
  EXPECT_EQ(core.core().jobs().size(), 2u);
}

TEST(Submission, RefusalHasReason) {
  CoreHarness core({.max_queued_jobs = 1, .memory_bytes = 1000});
  EXPECT_THAT(core.Submit(kJob, ""), IsError(absl::StatusCode::kInvalidArgument, "request id"));
  JobDefinition large = kJob;
  large.contribution_bytes = 1001;
  EXPECT_THAT(core.Submit(large, "r1"), IsError(absl::StatusCode::kInvalidArgument, "--memory"));
  EXPECT_EQ(*core.Submit(kJob, "r2"), "job-1") << "a refused one has no number";
  EXPECT_THAT(core.Submit(kJob, "r3"),
              IsError(absl::StatusCode::kResourceExhausted, "already queued"));
  core.Do(ShutdownRequested{});
  EXPECT_THAT(core.Submit(kJob, "r4"), IsError(absl::StatusCode::kUnavailable, "stopping"));
  EXPECT_EQ(*core.Submit(kJob, "r2"), "job-1") << "the answer to a retry stays";
}

TEST(Queue, RunsOldestJobsUpToLimitAfterRestart) {
  CoreHarness core({.max_running_jobs = 1});
  std::vector<std::string> ids;
  for (int i = 0; i < 11; ++i) ids.push_back(*core.Submit(kJob, "r" + std::to_string(i)));
  core.Restart();
  core.Register("e1");
  EXPECT_EQ(core.job(ids[0]).record.state, JobState::kStarting);
  EXPECT_EQ(core.job(ids[1]).record.reason, Reason::kWaitingForJobs);
  DL_ASSERT_OK(core.Act({.job = ids[0], .action = rpc::JobAction::kCancel}));
  core.StateIsPrepared(ids[0]);
  EXPECT_EQ(core.job(ids[1]).record.state, JobState::kStarting) << "job-2 comes before job-10";
}

// The new master has less memory than the one that accepted the jobs.
TEST(Queue, JobOverBudgetIsRejectedUnlessBegun) {
  CoreHarness core({.max_running_jobs = 1});
  JobDefinition large = kJob;
  large.contribution_bytes = 1001;
  const uint64_t e1 = core.Register("e1");
  const std::string begun = core.RunningJob(large);
  core.CompleteRound(begun, e1);
  const std::string queued = *core.Submit(large, "r1"), small = *core.Submit(kJob, "r2");
  const CoreOptions enough = core.options();
  core.options().memory_bytes = 1000;
  core.Restart();
  const Job* rejected = core.core().Find(queued);
  ASSERT_NE(rejected, nullptr);
  EXPECT_EQ(rejected->record.state, JobState::kRejected);
  EXPECT_EQ(rejected->record.reason, Reason::kTooLarge);
  EXPECT_THAT(rejected->record.error, IsError(absl::StatusCode::kInvalidArgument, "--memory"));
  EXPECT_EQ(core.job(begun).record.state, JobState::kQueued);
  EXPECT_EQ(core.job(begun).record.reason, Reason::kWaitingForMemory);
  EXPECT_THAT(core.job(begun).record.message, testing::HasSubstr("larger --memory"));
  core.Register("e1", {.incarnation = 2});
  EXPECT_EQ(core.job(small).record.state, JobState::kStarting) << "nobody is held up";
  const rpc::JobActionRequest resume{.job = queued, .action = rpc::JobAction::kResume};
  EXPECT_THAT(core.Act(resume), IsError(absl::StatusCode::kInvalidArgument, "--memory"));

  core.options() = enough;
  core.options().max_running_jobs = 3;
  core.Restart();
  EXPECT_EQ(core.core().jobs().count(queued), 0u) << "it stays what it is";
  EXPECT_EQ(core.job(begun).record.state, JobState::kRecovering);
  DL_ASSERT_OK(core.Act(resume));
  core.Register("e1", {.incarnation = 3});
  EXPECT_EQ(core.job(queued).record.state, JobState::kStarting);
  EXPECT_EQ(core.job(queued).record.attempt, 2);
}

TEST(Queue, JobFailingAtStartDelaysNoOther) {
  for (const int behind : {1, 2}) {
    CoreHarness core;
    const uint64_t e1 = core.Register("e1");
    const std::string source = core.RunningJob(kJob);
    core.CompleteRound(source, e1);
    DL_ASSERT_OK(core.Act({.job = source, .action = rpc::JobAction::kCancel}));
    core.CheckpointIsWritten(source, 1);
    core.Do(Asked<rpc::GoodbyeRequest>{999, {e1}});
    std::vector<std::string> ids = {*core.Submit(kJob, "heir", {.init_from = source + "@1"})};
    for (int i = 0; i < behind; ++i) ids.push_back(*core.Submit(kJob, "r" + std::to_string(i)));
    storage::MetaBatch damage;
    damage.Delete(keys::Checkpoint(source, 1));
    DL_ASSERT_OK(core.store.Write(damage));
    core.Restart();
    core.Register("e1", {.incarnation = 2});  // now all of them may start
    EXPECT_EQ(core.job(ids[0]).record.state, JobState::kFailed);
    EXPECT_THAT(core.job(ids[0]).record.error, IsError(absl::StatusCode::kNotFound, source));
    for (int i = 1; i <= behind; ++i)
      EXPECT_EQ(core.job(ids[i]).record.state, JobState::kStarting) << i;
  }
}

TEST(Queue, JobWithoutExecutorsFreesItsPlace) {
  CoreHarness core({.max_running_jobs = 1});
  const uint64_t e1 = core.Register("e1");
  const std::string waits = core.RunningJob(kJob);
  core.Do(Asked<rpc::GoodbyeRequest>{999, {e1}});
  EXPECT_EQ(core.job(waits).record.state, JobState::kRunning) << "this master has just begun";
  core.Wait(std::chrono::seconds(1));
  ASSERT_EQ(core.job(waits).record.state, JobState::kWaiting);
  core.Register("e2", {.contracts = {{"c2", ""}}});
  const std::string next = *core.Submit(kJob, "next");
  EXPECT_EQ(core.job(next).record.state, JobState::kStarting);
}

TEST(Queue, RecoveringJobWithoutExecutorsFreesItsPlace) {
  CoreHarness core({.max_running_jobs = 1});
  const uint64_t e1 = core.Register("e1");
  const std::string recovers = core.RunningJob(kJob);
  core.CompleteRound(recovers, e1);
  core.Restart();
  core.StateIsPrepared(recovers);  // from the seed: round 1 is computed again
  core.Wait(std::chrono::seconds(1));
  EXPECT_EQ(core.job(recovers).record.state, JobState::kRecovering);
  EXPECT_EQ(core.job(recovers).record.reason, Reason::kWaitingForExecutors);
  core.Register("e2", {.contracts = {{"c2", ""}}});
  const std::string next = *core.Submit(kJob, "next");
  EXPECT_EQ(core.job(next).record.state, JobState::kStarting);
  core.Register("e1", {.incarnation = 2});
  EXPECT_EQ(core.job(recovers).record.state, JobState::kRecovering);
  EXPECT_EQ(core.job(recovers).record.reason, Reason::kReplaying);
}

TEST(MasterIncarnation, JobEndsWithCheckpointOfLastRound) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(kJob);
  for (int round = 1; round <= 3; ++round) core.CompleteRound(id, e1);
  EXPECT_EQ(core.job(id).phase, Phase::kFinishing);
  ASSERT_EQ(core.EffectsOf<WriteCheckpoint>().size(), 1u);
  core.CheckpointIsWritten(id, 3);
  EXPECT_EQ(core.job(id).record.state, JobState::kSucceeded);
  EXPECT_EQ(core.job(id).record.reason, Reason::kAllEpochsDone);
}

TEST(MasterIncarnation, EpochWithDroppedExampleFailsJob) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  JobDefinition definition = kJob;
  definition.example_hash_sum = 5;  // the units will sum to 4
  const std::string id = core.RunningJob(definition);
  core.CompleteRound(id, e1);
  EXPECT_EQ(core.job(id).record.state, JobState::kRunning) << "once more, everything twice";
  for (int result = 1; result <= 2; ++result) {
    for (const rpc::Lease& lease : core.LeaseUnits(e1, 8)) {
      DL_EXPECT_OK(core.Announce(e1, lease, 7));
      core.Stage(lease, 7, e1);
    }
  }
  core.RoundIsMerged(id, 1);
  EXPECT_EQ(core.job(id).record.state, JobState::kFailed);
  EXPECT_EQ(core.job(id).record.reason, Reason::kExampleSum);
  EXPECT_EQ(core.job(id).log.committed, 0);
}

// Parameter: what a checkpoint lacks.
class FullDisk : public testing::TestWithParam<const char*> {
 protected:
  // Starts a job of `epochs` with one round each. The first round is committed.
  void Begin(int64_t epochs) {
    JobDefinition definition = kJob;
    definition.epochs = epochs;
    definition.checkpoint.every_rounds = 1;
    e1_ = core_.Register("e1");
    id_ = core_.RunningJob(definition);
    core_.CompleteRound(id_, e1_);
  }
  void HasNoRoom(int64_t round) {
    const bool files = GetParam() == std::string_view("Files");
    core_.CheckpointIsWritten(id_, round,
                              files ? SystemError(EMFILE, "make a table", "bulk")
                                    : ResourceExhausted({.message = "cannot make a table"}));
  }
  int64_t Warnings() const {
    int64_t warnings = 0;
    for (const std::string& warning : core_.Warnings())
      warnings += warning.find("cannot make a table") != std::string::npos ? 1 : 0;
    return warnings;
  }

  CoreHarness core_;
  uint64_t e1_ = 0;
  std::string id_;
};

INSTANTIATE_TEST_SUITE_P(Lacks, FullDisk, testing::Values("Space", "Files"),
                         [](const auto& lacks) { return std::string(lacks.param); });

TEST_P(FullDisk, CheckpointIsDelayedWhileJobTrains) {
  Begin(5);
  HasNoRoom(1);
  EXPECT_EQ(Warnings(), 1);
  EXPECT_EQ(core_.job(id_).record.state, JobState::kRunning);
  core_.CompleteRound(id_, e1_);
  EXPECT_TRUE(core_.EffectsOf<WriteCheckpoint>().empty()) << "not before the pause is over";
  core_.Wait(std::chrono::seconds(31));
  ASSERT_EQ(core_.EffectsOf<WriteCheckpoint>().size(), 1u);
  EXPECT_EQ(core_.EffectsOf<WriteCheckpoint>()[0].round, 2);
  HasNoRoom(2);
  EXPECT_EQ(Warnings(), 0) << "said once";
  core_.Wait(std::chrono::seconds(31));
  core_.CheckpointIsWritten(id_, 2);
  EXPECT_TRUE(core_.job(id_).HasCheckpoint(2));
}

TEST_P(FullDisk, EndOfJobIsDelayed) {
  Begin(1);
  HasNoRoom(1);
  EXPECT_FALSE(IsTerminal(core_.job(id_).record.state));
  core_.Wait(std::chrono::seconds(31));
  ASSERT_EQ(core_.EffectsOf<WriteCheckpoint>().size(), 1u);
  core_.CheckpointIsWritten(id_, 1);
  EXPECT_EQ(core_.job(id_).record.state, JobState::kSucceeded);
}

TEST_P(FullDisk, JobCanBeCancelled) {
  Begin(5);
  core_.CheckpointIsWritten(id_, 1);
  core_.CompleteRound(id_, e1_);
  HasNoRoom(2);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCancel}));
  ASSERT_EQ(core_.EffectsOf<WriteCheckpoint>().size(), 1u) << "it is tried once more, at once";
  HasNoRoom(2);
  EXPECT_EQ(core_.job(id_).record.state, JobState::kCancelled);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kResume}));
  core_.StateIsPrepared(id_, 1);
  EXPECT_EQ(core_.job(id_).log.committed, 2);
}

TEST_P(FullDisk, MasterCanStop) {
  Begin(5);
  HasNoRoom(1);
  core_.Do(ShutdownRequested{});
  EXPECT_FALSE(core_.core().ReadyToStop()) << "it is tried once more";
  HasNoRoom(1);
  EXPECT_TRUE(core_.core().ReadyToStop());
}

TEST(ResumeFrom, SourceIsKeptAcrossRestart) {
  CoreHarness core({.max_running_jobs = 1});
  const uint64_t e1 = core.Register("e1");
  JobDefinition definition = kJob;
  definition.checkpoint = {.every_rounds = 1, .keep_last = 1, .keep_best = 0};
  const std::string source = core.RunningJob(definition);
  core.CompleteRound(source, e1);
  core.CheckpointIsWritten(source, 1);
  const std::string heir = *core.Submit(kJob, "heir", {.resume_from = source + "@1"});
  core.CompleteRound(source, e1);
  core.CheckpointIsWritten(source, 2);
  EXPECT_TRUE(core.job(source).checkpoints.contains(1)) << "the heir has not begun yet";
  core.Restart();
  const uint64_t again = core.Register("e1", {.incarnation = 2});
  core.StateIsPrepared(source, 2);
  DL_ASSERT_OK(core.Act({.job = source, .action = rpc::JobAction::kCancel}));
  const auto prepare = core.EffectsOf<PrepareState>();
  ASSERT_EQ(prepare.size(), 1u);
  EXPECT_EQ(prepare[0].job, heir);
  EXPECT_EQ(prepare[0].source, PrepareState::Source::kOtherCheckpoint);
  EXPECT_EQ(prepare[0].checkpoint_manifest, core.job(source).checkpoints.at(1).manifest);
  core.StateIsPrepared(heir);
  EXPECT_EQ(core.EffectsOf<WriteCheckpoint>().size(), 1u) << "at once: its source may go";
  EXPECT_NE(again, 0u);
}

TEST(ResumeFrom, SourceOfCancelledJobIsKept) {
  CoreHarness core({.max_running_jobs = 1});
  const uint64_t e1 = core.Register("e1");
  JobDefinition definition = kJob;
  definition.checkpoint = {.every_rounds = 1, .keep_last = 1, .keep_best = 0};
  const std::string source = core.RunningJob(definition);
  core.CompleteRound(source, e1);
  core.CheckpointIsWritten(source, 1);
  const std::string heir = *core.Submit(kJob, "heir", {.resume_from = source + "@1"});
  DL_ASSERT_OK(core.Act({.job = heir, .action = rpc::JobAction::kCancel}));
  for (int round = 2; round <= 3; ++round) {
    core.CompleteRound(source, e1);
    core.CheckpointIsWritten(source, round);
  }
  ASSERT_EQ(core.job(source).record.state, JobState::kSucceeded);
  EXPECT_FALSE(core.job(source).checkpoints.contains(2));
  DL_ASSERT_OK(core.Act({.job = heir, .action = rpc::JobAction::kResume}));
  EXPECT_EQ(core.job(heir).record.state, JobState::kStarting);
}

// Adam's bias correction continues with the updater state.
TEST(ResumeFrom, CountsUpdatesOfEarlierJobs) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  JobDefinition definition = kJob;
  definition.checkpoint.every_rounds = 1;
  definition.strategy = test::PlainStrategy(1, averaging::UpdaterStatePolicy::kAverage, true);
  const std::string first = core.RunningJob(definition);
  for (int round = 1; round <= 2; ++round) {
    core.CompleteRound(first, e1);
    core.CheckpointIsWritten(first, round);
  }
  const int64_t steps = dataset::LocateRound(definition.plan, 2).first_step;
  ASSERT_GT(steps, 0);
  const std::string second = *core.Submit(definition, "second", {.resume_from = first + "@2"});
  core.StateIsPrepared(second);
  core.CheckpointIsWritten(second, 0);
  const std::string third = *core.Submit(definition, "third", {.resume_from = second + "@0"});
  const std::string weights = *core.Submit(definition, "weights", {.init_from = first + "@2"});
  core.Restart();
  EXPECT_EQ(core.job(first).record.earlier_updates, 0);
  EXPECT_EQ(core.job(second).record.earlier_updates, steps);
  EXPECT_EQ(core.job(third).record.earlier_updates, steps);
  EXPECT_EQ(core.job(weights).record.earlier_updates, 0);
}

TEST(ResumeFrom, ResetPolicyStartsWithZeroUpdates) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  JobDefinition definition = kJob;
  definition.checkpoint.every_rounds = 1;
  definition.strategy = test::PlainStrategy(1, averaging::UpdaterStatePolicy::kReset, true);
  const std::string source = core.RunningJob(definition);
  core.CompleteRound(source, e1);
  core.CheckpointIsWritten(source, 1);
  definition.strategy = test::PlainStrategy(1, averaging::UpdaterStatePolicy::kAverage, true);
  const std::string heir = *core.Submit(definition, "heir", {.resume_from = source + "@1"});
  EXPECT_EQ(core.job(heir).record.earlier_updates, 0);
}

TEST(ResumeFrom, UnsuitableCheckpointIsRefused) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  JobDefinition definition = kJob;
  definition.weights_layout = "net";
  definition.state_layout = "net with momentum";
  const std::string source = core.RunningJob(definition);
  for (int round = 1; round <= 3; ++round) core.CompleteRound(source, e1);
  core.CheckpointIsWritten(source, 3);
  for (const std::string none : {"job-7@3", "job", "job-7@one"}) {
    EXPECT_THAT(core.Submit(definition, none, {.init_from = none}).status(),
                IsError(absl::StatusCode::kNotFound, none));
  }
  const std::string checkpoint = source + "@3";
  definition.state_layout = "net with Adam";
  EXPECT_THAT(core.Submit(definition, "updater", {.resume_from = checkpoint}).status(),
              IsError(absl::StatusCode::kInvalidArgument, "another updater"));
  DL_EXPECT_OK(core.Submit(definition, "weights", {.init_from = checkpoint}).status());
  definition.weights_layout = "wider net";
  EXPECT_THAT(core.Submit(definition, "model", {.init_from = checkpoint}).status(),
              IsError(absl::StatusCode::kInvalidArgument, "another model"));
  EXPECT_EQ(core.Query("jobs", "").size(), 2u);
}

}  // namespace
}  // namespace dl::master
