// The data of an ended job that a master keeps, and that it needs to resume the job.
#include "gtest/gtest.h"
#include "master/core/record_keys.h"
#include "master/log_reading.h"
#include "master/store_recovery.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"
#include "tests/unit/master_core/named_definitions.h"

namespace dl::master {
namespace {

using dl::test::IsError;

class Ended : public testing::Test {
 protected:
  // Commits four rounds, each an epoch that is evaluated. Then the job is cancelled.
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

TEST_F(Ended, OnlyEndOfLogStaysInMemory) {
  EXPECT_EQ(job().log.commits.size(), 2u);      // a late result of the last round is compared
  EXPECT_EQ(job().log.evaluations.size(), 2u);  // those of checkpoints: the best and the last
  EXPECT_EQ(job().log.head.length, 9);
  core_.Restart();
  EXPECT_EQ(job().log.commits.size(), 1u);
  EXPECT_EQ(job().log.evaluations.size(), 2u);
  EXPECT_EQ(job().log.head.length, 9);
}

TEST_F(Ended, ReportIsSameAfterRestart) {
  for (const char* what : {"result", "checkpoints"}) {
    const Json before = core_.Query(what, id_);
    ASSERT_FALSE(before.is_null()) << what;
    core_.Restart();
    EXPECT_EQ(core_.Query(what, id_), before) << what;
  }
  EXPECT_EQ(core_.Query("result", id_).at("metrics").at("test").at("loss"), 4.0);
}

TEST_F(Ended, ReportNeedsNoDocuments) {
  core_.Restart();
  const std::vector<std::string> reports = {"result", "job", "checkpoints"};
  std::map<std::string, Json> before;
  for (const std::string& what : reports) before[what] = core_.Query(what, id_);
  // Large documents that no query reads.
  storage::MetaBatch batch;
  for (const std::string& key : {keys::Spec(id_), keys::TrainManifest(id_), keys::LogHead(id_)})
    batch.Put(key, "damaged");
  batch.Put(keys::Unverified(id_), R"({"format":1,"since":{"e1":2}})");
  DL_ASSERT_OK(core_.store.Write(batch));
  for (const std::string& what : reports) EXPECT_EQ(core_.Query(what, id_), before[what]) << what;
  // An executor that is quarantined later is still reported.
  storage::MetaBatch quarantine;
  quarantine.Put(keys::Quarantined("e1"), "");
  DL_ASSERT_OK(core_.store.Write(quarantine));
  for (const std::string what : {"result", "job"}) {
    Json told = core_.Query(what, id_);
    EXPECT_EQ(told.at("distrusted_since_round"), Json({{"e1", 2}})) << what;
    told.erase("distrusted_since_round");
    EXPECT_EQ(told, before[what]) << what;
  }
}

TEST_F(Ended, CheckpointChangesAreReportedAfterUnload) {
  core_.Restart();
  const auto pinned = [&] {
    core_.Restart();
    return core_.Query("checkpoints", id_).back().at("pinned");
  };
  EXPECT_EQ(pinned(), false);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kPin, .round = 4}));
  EXPECT_EQ(pinned(), true);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kUnpin, .round = 4}));
  EXPECT_EQ(pinned(), false);
  DL_ASSERT_OK(core_.Act(Resume()));
  for (const ReportKind kind : kReportKinds)
    EXPECT_FALSE(core_.store.Get(keys::Ended(id_, kind))->has_value());
}

TEST_F(Ended, EndTimeIsRecordedUntilResume) {
  core_.Restart();
  e1_ = core_.Register("e1", {.incarnation = 2});
  EXPECT_EQ(**EndOf(core_.store, id_), 0) << "an earlier build's";
  DL_ASSERT_OK(core_.Act(Resume()));
  EXPECT_FALSE(EndOf(core_.store, id_)->has_value());
  core_.StateIsPrepared(id_, 4);
  core_.wall_unix_ms = 1'800'000'000'123;
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCancel}));
  core_.wall_unix_ms += 1000;
  core_.Restart();
  EXPECT_EQ(**EndOf(core_.store, id_), 1'800'000'000'123);
  EXPECT_EQ(core_.Query("job", id_).value("ended_unix_ms", int64_t{0}), 1'800'000'000'123);
  core_.Register("e1", {.incarnation = 3});
  DL_ASSERT_OK(core_.Act(Resume()));
  EXPECT_FALSE(EndOf(core_.store, id_)->has_value());
  EXPECT_FALSE(core_.Query("job", id_).contains("ended_unix_ms"));
}

TEST_F(Ended, StartAndResumeSkipRoundsBeforeCheckpoint) {
  storage::MetaBatch batch;
  batch.Put(keys::LogRecord(id_, 3), "damaged");
  DL_ASSERT_OK(core_.store.Write(batch));
  core_.Restart();
  EXPECT_EQ(job().log.committed, 4);
  e1_ = core_.Register("e1", {.incarnation = 2});
  DL_ASSERT_OK(core_.Act(Resume()));
  core_.StateIsPrepared(id_, 4);
  EXPECT_EQ(job().record.state, JobState::kRunning);
}

// An accepted loss may have removed them.
TEST_F(Ended, ResumeRestoresMissingLogHead) {
  storage::MetaBatch batch;
  batch.Delete(keys::LogHead(id_));
  batch.DeletePrefix(keys::EndedPrefix(id_));
  DL_ASSERT_OK(core_.store.Write(batch));
  core_.Restart();
  EXPECT_EQ(core_.Query("result", id_).value("rounds", 0), 4);
  e1_ = core_.Register("e1", {.incarnation = 2});
  DL_ASSERT_OK(core_.Act(Resume()));
  EXPECT_TRUE(core_.store.Get(keys::LogHead(id_))->has_value());
  core_.StateIsPrepared(id_, 4);
  EXPECT_EQ(job().record.state, JobState::kRunning);
}

TEST_F(Ended, ResumesAfterLastRound) {
  core_.Restart();
  e1_ = core_.Register("e1", {.incarnation = 2});
  DL_ASSERT_OK(core_.Act(Resume()));
  EXPECT_EQ(job().log.commits.size(), 5u);
  EXPECT_EQ(job().log.evaluations.size(), 2u);
  core_.StateIsPrepared(id_, 4);
  core_.CompleteRound(id_, e1_);
  EXPECT_EQ(job().log.committed, 5);
  EXPECT_EQ(LoadWholeLog(core_.store, id_)->head.last_sha256, job().log.head.last_sha256);
}

// Ended jobs are read from the store. Only few stay in memory.
TEST(EndedJobs, AreUnloadedAndStillListed) {
  CoreHarness core({.ended_kept = 2});
  const uint64_t e1 = core.Register("e1");
  JobDefinition definition = CoreHarness::Definition();
  definition.epochs = 1;
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) {
    ids.push_back(core.RunningJob(definition));
    core.CompleteRound(ids.back(), e1);
    core.CheckpointIsWritten(ids.back(), 1);
    ASSERT_EQ(core.job(ids.back()).record.state, JobState::kSucceeded);
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(core.core().Find(ids[i]) != nullptr, i >= 3) << i;
  EXPECT_TRUE(core.core().jobs().empty());
  const Json told = core.Query("job", ids[0]);
  EXPECT_EQ(told.value("state", ""), "SUCCEEDED");
  EXPECT_EQ(told.value("state_sha256", ""), ids[0] + "@1");
  EXPECT_EQ(core.Query("checkpoints", ids[0]).size(), 1u);
  EXPECT_EQ(core.Query("result", ids[0]).value("state", ""), "SUCCEEDED");
  // Actions on it have the same results as before.
  EXPECT_THAT(core.Act({.job = ids[0], .action = rpc::JobAction::kResume}),
              IsError(absl::StatusCode::kFailedPrecondition, "SUCCEEDED"));
  DL_EXPECT_OK(core.Act({.job = ids[1], .action = rpc::JobAction::kPin, .round = 1}));
  EXPECT_TRUE(core.Query("checkpoints", ids[1]).at(0).value("pinned", false));
  // A new job can begin from an ended job.
  const auto next = core.Submit(definition, "r-next", {.resume_from = ids[2] + "@1"});
  DL_ASSERT_OK(next);
  EXPECT_EQ(core.EffectsOf<PrepareState>().at(0).checkpoint_manifest,
            core.job(ids[2]).checkpoints.at(1).manifest);
}

TEST(EndedJobs, SourceOfJobStaysAfterRestart) {
  CoreHarness core({.ended_kept = 0, .max_running_jobs = 1});
  uint64_t e1 = core.Register("e1");
  JobDefinition definition = CoreHarness::Definition();
  definition.checkpoint = {.every_rounds = 1, .every_epoch = false, .keep_last = 1};
  const std::string first = core.RunningJob(definition);
  core.CompleteRound(first, e1);
  core.CheckpointIsWritten(first, 1);
  const std::string second = *core.Submit(definition, "r-second", {.init_from = first + "@1"});
  core.Restart();
  e1 = core.Register("e1", {.incarnation = 2});
  core.StateIsPrepared(first, 1);
  for (int64_t round = 2; round <= 3; ++round) {
    core.CompleteRound(first, e1);
    core.CheckpointIsWritten(first, round);
  }
  ASSERT_EQ(core.job(first).record.state, JobState::kSucceeded);
  EXPECT_TRUE(core.job(first).checkpoints.contains(1));
  // The job is cancelled before it has begun, and may be resumed.
  DL_ASSERT_OK(core.Act({.job = second, .action = rpc::JobAction::kCancel}));
  core.StateIsPrepared(second);
  core.Restart();
  e1 = core.Register("e1", {.incarnation = 3});
  DL_ASSERT_OK(core.Act({.job = first, .action = rpc::JobAction::kUnpin, .round = 3}));
  EXPECT_TRUE(core.job(first).checkpoints.contains(1));
  DL_ASSERT_OK(core.Act({.job = second, .action = rpc::JobAction::kResume}));
  core.StateIsPrepared(second);
  core.CheckpointIsWritten(second, 0);
  DL_ASSERT_OK(core.Act({.job = first, .action = rpc::JobAction::kUnpin, .round = 3}));
  EXPECT_FALSE(core.job(first).checkpoints.contains(1));
}

TEST(EndedJobs, JobEndedAgainStaysUntilStored) {
  CoreHarness core({.ended_kept = 0});
  core.holds_back_ends = true;
  core.Register("e1");
  const std::string id = core.RunningJob(CoreHarness::Definition());
  DL_ASSERT_OK(core.Act({.job = id, .action = rpc::JobAction::kCancel}));
  core.CheckpointIsWritten(id, 0);
  const uint64_t first = core.job(id).end;
  DL_ASSERT_OK(core.Act({.job = id, .action = rpc::JobAction::kResume}));
  core.StateIsPrepared(id);
  DL_ASSERT_OK(core.Act({.job = id, .action = rpc::JobAction::kCancel}));
  const uint64_t second = core.job(id).end;
  ASSERT_NE(first, second);
  core.Do(EndRecorded{id, first});
  EXPECT_NE(core.core().Find(id), nullptr);
  core.Do(EndRecorded{id, second});
  EXPECT_EQ(core.core().Find(id), nullptr);
}

// ---- deleted ----

class Deleted : public testing::Test {
 protected:
  void SetUp() override {
    e1_ = core_.Register("e1");
    JobDefinition definition = CoreHarness::Definition();
    definition.epochs = 1;
    id_ = core_.RunningJob(definition);
    other_ = core_.RunningJob(definition);
    core_.CompleteRound(id_, e1_);
    core_.CheckpointIsWritten(id_, 1);
  }
  StatusOr<std::string> Delete(const std::string& id) {
    return core_.Act({.job = id, .action = rpc::JobAction::kDelete});
  }
  std::vector<std::string> KeysOf(const std::string& id) {
    std::vector<std::string> keys;
    DL_EXPECT_OK(core_.store.Scan("", [&](std::string_view key, std::string_view) {
      if (key.find(id) != std::string_view::npos) keys.emplace_back(key);
      return absl::OkStatus();
    }));
    return keys;
  }

  CoreHarness core_;
  uint64_t e1_ = 0;
  std::string id_, other_;
};

TEST_F(Deleted, OnlyManifestsStayUntilCollection) {
  ASSERT_GT(KeysOf(id_).size(), 5u);
  const std::string manifest = core_.job(id_).checkpoints.at(1).manifest;
  DL_ASSERT_OK(Delete(id_));
  EXPECT_EQ(KeysOf(id_), (std::vector<std::string>{keys::Deleted(id_), keys::TrainManifest(id_)}));
  ASSERT_EQ(core_.EffectsOf<DeleteCheckpoint>().size(), 1u);
  EXPECT_EQ(core_.EffectsOf<DeleteCheckpoint>()[0].manifest, manifest);
  EXPECT_EQ(core_.core().Find(id_), nullptr);
  EXPECT_TRUE(core_.Query("job", id_).is_null());
  EXPECT_THAT(Delete(id_), IsError(absl::StatusCode::kNotFound, id_));
  // Another job, and one whose name begins with this job's name, are kept.
  EXPECT_FALSE(KeysOf(other_).empty());
  core_.Restart();
  EXPECT_EQ(core_.core().Find(id_), nullptr);
  EXPECT_NE(core_.core().Find(other_), nullptr);
}

TEST_F(Deleted, RunningJobIsRefused) {
  EXPECT_THAT(Delete(other_), IsError(absl::StatusCode::kFailedPrecondition, "is RUNNING"));
  EXPECT_EQ(core_.job(other_).record.state, JobState::kRunning);
}

TEST_F(Deleted, SourceIsRefusedUntilHeirHasCheckpoint) {
  const std::string next =
      *core_.Submit(CoreHarness::Definition(), "r-next", {.init_from = id_ + "@1"});
  EXPECT_THAT(Delete(id_), IsError(absl::StatusCode::kFailedPrecondition, next));
  core_.StateIsPrepared(next);
  core_.CheckpointIsWritten(next, 0);
  DL_EXPECT_OK(Delete(id_));
}

// Otherwise the other owner could protect the job from deletion forever.
TEST_F(Deleted, WaitingJobOfOtherOwnerStopsOnlyRetention) {
  core_.options().max_running_jobs = 1;
  core_.Restart();
  core_.Register("e1", {.incarnation = 2});
  const std::string begins = *core_.Submit(CoreHarness::Definition(), "r-next",
                                           {.init_from = id_ + "@1", .owner = "mallory"});
  ASSERT_EQ(core_.job(begins).record.state, JobState::kQueued);
  const auto retention = [&] {
    return core_
        .Ask<rpc::JobActionReply>(
            UserAction{.request = {.request_id = "retention",
                                   .job = id_,
                                   .action = rpc::JobAction::kDelete,
                                   .by = {.role = security::Role::kAdmin}},
                       .ended = *FindEnded(core_.store, id_, FindDefinition),
                       .expired_end_unix_ms = core_.job(id_).record.ended_unix_ms})
        .status();
  };
  EXPECT_THAT(retention(), IsError(absl::StatusCode::kFailedPrecondition, begins));
  DL_EXPECT_OK(Delete(id_));
  DL_ASSERT_OK(core_.Act({.job = other_, .action = rpc::JobAction::kCancel}));
  core_.StateIsPrepared(other_);
  EXPECT_EQ(core_.job(begins).record.state, JobState::kFailed);
  EXPECT_NE(
      core_.job(begins).record.message.find(id_ + "@1, from which the job starts, was deleted"),
      std::string::npos)
      << core_.job(begins).record.message;
}

TEST_F(Deleted, LoadingJobOfOtherOwnerPreventsDeletion) {
  const std::string begins = *core_.Submit(CoreHarness::Definition(), "r-next",
                                           {.init_from = id_ + "@1", .owner = "mallory"});
  ASSERT_EQ(core_.job(begins).record.state, JobState::kStarting);
  EXPECT_THAT(Delete(id_), IsError(absl::StatusCode::kFailedPrecondition, begins));
  DL_ASSERT_OK(core_.Act(
      {.job = begins, .action = rpc::JobAction::kCancel, .by = {.role = security::Role::kAdmin}}));
  core_.StateIsPrepared(begins);
  DL_EXPECT_OK(Delete(id_));
}

TEST_F(Deleted, JobBeingReadIsRefusedTemporarily) {
  core_.Do(CheckpointRead{{id_, 1}});
  EXPECT_THAT(Delete(id_), IsError(absl::StatusCode::kResourceExhausted, "reads checkpoint"));
  core_.Wait(std::chrono::seconds(61));
  DL_EXPECT_OK(Delete(id_));
}

TEST_F(Deleted, JobIsDeletedWhenItsReaderHasEnded) {
  core_.Do(CheckpointRead{{id_, 1}, 7});
  EXPECT_THAT(Delete(id_), IsError(absl::StatusCode::kResourceExhausted, "reads checkpoint"));
  core_.Do(ReadEnded{{id_, 1}, 7});
  DL_EXPECT_OK(Delete(id_));
}

TEST_F(Deleted, EndlessReaderPreventsDeletionForAnHour) {
  const auto read_for = [&](Duration time) {
    for (const Instant end = core_.now + time; core_.now < end;
         core_.Wait(std::chrono::seconds(50)))
      core_.Do(CheckpointRead{{id_, 1}});
  };
  read_for(std::chrono::hours(2));
  EXPECT_THAT(Delete(id_), IsError(absl::StatusCode::kResourceExhausted, "reads checkpoint"))
      << "the time begins with the wish to delete it";
  read_for(std::chrono::minutes(50));
  EXPECT_THAT(Delete(id_), IsError(absl::StatusCode::kResourceExhausted, "reads checkpoint"));
  core_.Wait(std::chrono::minutes(2));  // a pause gives the reader no additional hour
  read_for(std::chrono::minutes(10));
  DL_EXPECT_OK(Delete(id_));
}

// The checkpoints of a damaged job are unknown, but the needs of other jobs are known.
TEST_F(Deleted, DamagedSourceStays) {
  const std::string next =
      *core_.Submit(CoreHarness::Definition(), "r-next", {.init_from = id_ + "@1"});
  storage::MetaBatch batch;
  batch.Put(keys::LogHead(id_), "{");
  DL_ASSERT_OK(core_.store.Write(batch));
  core_.Restart();
  EXPECT_THAT(Delete(id_), IsError(absl::StatusCode::kFailedPrecondition, next));
  EXPECT_TRUE(core_.store.Get(keys::Checkpoint(id_, 1))->has_value());
}

TEST_F(Deleted, DamagedJobIsDeleted) {
  storage::MetaBatch batch;
  batch.Put(keys::LogHead(id_), "{");
  batch.Put(keys::Ended(id_, ReportKind::kJob), "{");
  DL_ASSERT_OK(core_.store.Write(batch));
  core_.Restart();
  DL_EXPECT_OK(Delete(id_));
  EXPECT_EQ(KeysOf(id_).size(), 2u);
}

}  // namespace
}  // namespace dl::master
