// Actions of users on an existing job. A repeated request is answered once.
#include <map>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "gtest/gtest.h"
#include "master/core/record_keys.h"
#include "master/core/records/log_record.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using dl::test::IsError;

const JobDefinition kJob = CoreHarness::Definition();

TEST(Actions, OldestRequestsAreDeletedFromStore) {
  CoreHarness core;
  core.Register("e1");
  const std::string id = core.RunningJob(CoreHarness::Definition());
  const auto act = [&](int64_t i) {
    return core.Act(
        {.request_id = absl::StrCat("a", i), .job = id, .action = rpc::JobAction::kCheckpoint});
  };
  DL_ASSERT_OK(act(0));
  DL_ASSERT_OK(core.Act({.request_id = "end", .job = id, .action = rpc::JobAction::kCancel}));
  core.CheckpointIsWritten(id, 0);
  // Known requests are answered as before. New requests are refused, because the job has ended.
  EXPECT_TRUE(act(0).ok());
  EXPECT_FALSE(act(1).ok());
  for (int64_t i = 0; i < limits::kMaxRequestsRemembered; ++i) {
    auto pinned = core.Act({.request_id = absl::StrCat("p", i),
                            .job = id,
                            .action = rpc::JobAction::kPin,
                            .round = 0});
    DL_ASSERT_OK(pinned);
  }
  EXPECT_FALSE(act(0).ok());
  core.Restart();
  EXPECT_FALSE(act(0).ok());
  DL_EXPECT_OK(core.Act({.request_id = "p0", .job = "none"})) << "remembered";
}

TEST(Actions, RepeatedRequestIdGetsSameAnswer) {
  CoreHarness core;
  core.Register("e1");
  const std::string id = core.RunningJob(kJob);
  const std::string answer =
      *core.Act({.request_id = "a1", .job = id, .action = rpc::JobAction::kCancel});
  core.CheckpointIsWritten(id, 0);
  EXPECT_EQ(core.job(id).record.state, JobState::kCancelled);
  DL_ASSERT_OK(core.Act({.request_id = "a2", .job = id, .action = rpc::JobAction::kResume}));
  core.Restart();
  EXPECT_EQ(*core.Act({.request_id = "a1", .job = id, .action = rpc::JobAction::kCancel}), answer);
  EXPECT_NE(core.job(id).record.state, JobState::kCancelled) << "a late retry cancels nothing";
  EXPECT_THAT(core.Act({.request_id = "", .job = "none"}),
              IsError(absl::StatusCode::kNotFound, "no job"));
}

TEST(Actions, RetentionKeepsJobChangedSinceCheck) {
  CoreHarness core;
  core.Register("e1");
  core.wall_unix_ms = 1000;
  const std::string id = core.RunningJob(kJob);
  DL_ASSERT_OK(core.Act({.request_id = "c", .job = id, .action = rpc::JobAction::kCancel}));
  core.CheckpointIsWritten(id, 0);
  const auto expire = [&](int64_t ended_unix_ms) {
    return core
        .Ask<rpc::JobActionReply>(UserAction{.request = {.request_id = "retention",
                                                         .job = id,
                                                         .action = rpc::JobAction::kDelete,
                                                         .by = {.role = security::Role::kAdmin}},
                                             .expired_end_unix_ms = ended_unix_ms})
        .status();
  };
  const int64_t ended = core.job(id).record.ended_unix_ms;
  EXPECT_THAT(expire(ended + 1), IsError(absl::StatusCode::kFailedPrecondition, "ended again"));
  const auto pin = [&](const std::string& request_id, rpc::JobAction action) {
    DL_ASSERT_OK(core.Act({.request_id = request_id, .job = id, .action = action, .round = 0}));
  };
  pin("p", rpc::JobAction::kPin);
  EXPECT_THAT(expire(ended), IsError(absl::StatusCode::kFailedPrecondition, "@0 is pinned"));
  pin("u", rpc::JobAction::kUnpin);
  DL_EXPECT_OK(expire(ended));
}

TEST(Actions, JobWithPinnedCheckpointIsDeletedOnlyIfAsked) {
  CoreHarness core;
  core.Register("e1");
  const std::string id = core.RunningJob(kJob);
  DL_ASSERT_OK(core.Act({.job = id, .action = rpc::JobAction::kCancel}));
  core.CheckpointIsWritten(id, 0);
  DL_ASSERT_OK(core.Act({.job = id, .action = rpc::JobAction::kPin, .round = 0}));
  const Status refused = core.Act({.job = id, .action = rpc::JobAction::kDelete}).status();
  EXPECT_THAT(refused, IsError(absl::StatusCode::kFailedPrecondition,
                               id + "@0 is pinned, so the job is not deleted"));
  EXPECT_THAT(ErrorRemedy(refused), testing::HasSubstr("delete --pinned"));
  EXPECT_TRUE(core.EffectsOf<DeleteCheckpoint>().empty());
  DL_EXPECT_OK(core.Act({.job = id, .action = rpc::JobAction::kDelete, .round = INT64_MAX}));
  EXPECT_EQ(core.core().Find(id), nullptr);
}

TEST(Actions, QueuedOrPreparingJobIsCancelledAtOnce) {
  CoreHarness core;
  const std::string queued = *core.Submit(kJob, "r1");
  DL_ASSERT_OK(core.Act({.job = queued, .action = rpc::JobAction::kCancel}));
  EXPECT_EQ(core.job(queued).record.state, JobState::kCancelled);
  core.Register("e1");
  const std::string preparing = *core.Submit(kJob, "r2");
  DL_ASSERT_OK(core.Act({.job = preparing, .action = rpc::JobAction::kCancel}));
  EXPECT_EQ(core.job(preparing).record.state, JobState::kCancelling);
  core.StateIsPrepared(preparing);
  EXPECT_EQ(core.job(preparing).record.state, JobState::kCancelled);
  EXPECT_EQ(core.job(preparing).log.committed, -1);
  DL_ASSERT_OK(core.Act({.job = preparing, .action = rpc::JobAction::kResume}));
  core.StateIsPrepared(preparing);
  EXPECT_EQ(core.job(preparing).record.state, JobState::kRunning);
}

TEST(Actions, OnlyCancelledAndFailedJobsResume) {
  CoreHarness core;
  core.Register("e1");
  const std::string id = core.RunningJob(kJob);
  EXPECT_THAT(core.Act({.job = id, .action = rpc::JobAction::kResume}),
              IsError(absl::StatusCode::kFailedPrecondition, "RUNNING"));
}

// A pause writes a checkpoint and frees the executors. The resumed job continues with the same
// bits.
TEST(Actions, PausedJobStaysPausedUntilResume) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(kJob);
  core.CompleteRound(id, e1);
  core.Wait(std::chrono::seconds(2));
  auto answer = core.Act({.job = id, .action = rpc::JobAction::kPause});
  DL_ASSERT_OK(answer);
  EXPECT_EQ(*answer, id + " is being paused; its last committed round is 1");
  EXPECT_EQ(core.job(id).record.state, JobState::kPausing);
  EXPECT_EQ(*core.Act({.job = id, .action = rpc::JobAction::kPause}), id + " is being paused");
  EXPECT_TRUE(core.LeaseUnits(e1).empty());
  core.CheckpointIsWritten(id, 1);
  EXPECT_EQ(core.job(id).record.state, JobState::kPaused);
  EXPECT_EQ(core.EffectsOf<ReleaseJob>().size(), 1u);
  EXPECT_GE(core.Query("job", id)["wall_seconds"].get<double>(), 2);
  EXPECT_EQ(*core.Act({.job = id, .action = rpc::JobAction::kPause}), id + " is paused already");
  EXPECT_THAT(core.Act({.job = id, .action = rpc::JobAction::kDelete}),
              IsError(absl::StatusCode::kFailedPrecondition, "PAUSED"));

  core.Restart();
  core.Register("e1", {.incarnation = 2});
  EXPECT_EQ(core.job(id).record.state, JobState::kPaused) << "also behind a restart";
  DL_ASSERT_OK(core.Act({.job = id, .action = rpc::JobAction::kResume}));
  EXPECT_EQ(core.job(id).record.attempt, 1);
  core.StateIsPrepared(id, 1);
  EXPECT_EQ(core.job(id).record.state, JobState::kRunning);
  EXPECT_EQ(core.job(id).at, 1);
}

// The master ends before the checkpoint is written. Committed rounds are durable without it.
TEST(Actions, PauseInProgressSurvivesRestart) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(kJob);
  core.CompleteRound(id, e1);
  DL_ASSERT_OK(core.Act({.job = id, .action = rpc::JobAction::kPause}));
  core.Restart();
  EXPECT_EQ(core.job(id).record.state, JobState::kPaused);
  EXPECT_EQ(core.job(id).log.committed, 1);
}

TEST(Actions, PauseOfCancellingJobIsRefused) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(kJob);
  core.CompleteRound(id, e1);
  DL_ASSERT_OK(core.Act({.job = id, .action = rpc::JobAction::kCancel}));
  EXPECT_THAT(core.Act({.job = id, .action = rpc::JobAction::kPause}),
              IsError(absl::StatusCode::kFailedPrecondition, "CANCELLING"));
  core.CheckpointIsWritten(id, 1);
  EXPECT_EQ(core.job(id).record.state, JobState::kCancelled);
}

TEST(Actions, WaitingOrPreparingJobIsPausedAtOnce) {
  CoreHarness core;
  const std::string queued = *core.Submit(kJob, "r1");
  EXPECT_EQ(*core.Act({.job = queued, .action = rpc::JobAction::kPause}), queued + " is paused");
  core.Register("e1");
  EXPECT_EQ(core.job(queued).record.state, JobState::kPaused) << "executors change nothing";
  const std::string preparing = *core.Submit(kJob, "r2");
  DL_ASSERT_OK(core.Act({.job = preparing, .action = rpc::JobAction::kPause}));
  EXPECT_EQ(core.job(preparing).record.state, JobState::kPausing);
  core.StateIsPrepared(preparing);
  EXPECT_EQ(core.job(preparing).record.state, JobState::kPaused);
  EXPECT_EQ(*core.Act({.job = preparing, .action = rpc::JobAction::kCancel}),
            preparing + " is cancelled");
  EXPECT_EQ(core.job(preparing).record.state, JobState::kCancelled);
  EXPECT_THAT(core.Act({.job = preparing, .action = rpc::JobAction::kPause}),
              IsError(absl::StatusCode::kFailedPrecondition, "CANCELLED"));
  DL_ASSERT_OK(core.Act({.job = queued, .action = rpc::JobAction::kResume}));
  core.StateIsPrepared(queued);
  EXPECT_EQ(core.job(queued).record.state, JobState::kRunning);
  EXPECT_LT(core.Query("job", queued)["wall_seconds"].get<double>(), 1e6);
}

TEST(Actions, UnpinOfOldestCheckpointDeletesIt) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  JobDefinition definition = kJob;
  definition.checkpoint = {.every_rounds = 1, .keep_last = 1, .keep_best = 0};
  const std::string id = core.RunningJob(definition);
  core.CompleteRound(id, e1);
  core.CheckpointIsWritten(id, 1);
  DL_ASSERT_OK(core.Act({.job = id, .action = rpc::JobAction::kPin, .round = 1}));
  core.CompleteRound(id, e1);
  core.CheckpointIsWritten(id, 2);
  EXPECT_EQ(core.job(id).checkpoints.size(), 2u);
  auto answer = core.Act({.job = id, .action = rpc::JobAction::kUnpin, .round = 1});
  DL_ASSERT_OK(answer);
  EXPECT_EQ(*answer, id + "@1 is no longer kept");
  EXPECT_EQ(core.EffectsOf<DeleteCheckpoint>().size(), 1u);
  EXPECT_FALSE(core.store.Get(keys::Checkpoint(id, 1))->has_value());
  EXPECT_THAT(core.Act({.job = id, .action = rpc::JobAction::kPin, .round = 1}),
              IsError(absl::StatusCode::kNotFound, id + "@1"));
}

// Returns a job that was cancelled after its first round. Its executor has left.
std::string CancelledJob(CoreHarness& core) {
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(kJob);
  core.CompleteRound(id, e1);
  DL_EXPECT_OK(core.Act({.job = id, .action = rpc::JobAction::kCancel}));
  core.CheckpointIsWritten(id, 1);
  core.Do(Asked<rpc::GoodbyeRequest>{77, {.session = e1}});
  return id;
}

TEST(Actions, RebindIsRecordedInRoundLog) {
  CoreHarness core;
  const std::string id = CancelledJob(core);
  const uint64_t other = core.Register("e2", {.contracts = {{"c9", "avx512"}}});
  DL_ASSERT_OK(core.Act({.job = id, .action = rpc::JobAction::kResume, .rebind = true}));
  core.StateIsPrepared(id, 1);
  EXPECT_EQ(core.job(id).record.contract, "c9");
  EXPECT_EQ(core.LeaseUnits(other).size(), 1u);
  const auto text = *core.store.Get(keys::LogRecord(id, 2));
  ASSERT_TRUE(text.has_value());
  auto record = LogRecordFromJson(Json::parse(*text), "r");
  DL_ASSERT_OK(record);
  EXPECT_EQ(record->type, RecordType::kRebind);
  EXPECT_EQ(record->contract, "c9");
  core.Restart();
  EXPECT_EQ(core.job(id).log.head.contract, "c9");
}

// The report of each checkpoint has the contract. Reading the log of a job with a million rounds
// would take minutes.
TEST(Actions, CheckpointHasContractOfItsRound) {
  CoreHarness core;
  const std::string id = CancelledJob(core);
  const uint64_t other = core.Register("e2", {.contracts = {{"c9", "avx512"}}});
  DL_ASSERT_OK(core.Act({.job = id, .action = rpc::JobAction::kResume, .rebind = true}));
  core.StateIsPrepared(id, 1);
  core.CompleteRound(id, other);
  DL_ASSERT_OK(core.Act({.job = id, .action = rpc::JobAction::kCheckpoint}));
  core.CheckpointIsWritten(id, 2);
  const auto said = [&] {
    std::map<int64_t, std::string> contracts;
    for (const Json& checkpoint : core.Query("checkpoints", id))
      contracts[checkpoint.at("round")] = checkpoint.value("kernel_contract", "");
    return contracts;
  };
  const std::map<int64_t, std::string> expected = {{1, "c1"}, {2, "c9"}};
  EXPECT_EQ(said(), expected);
  core.Restart();
  EXPECT_EQ(said(), expected);
}

TEST(Actions, CancelledRebindIsForgotten) {
  CoreHarness core;
  const std::string id = CancelledJob(core);
  DL_ASSERT_OK(core.Act({.job = id, .action = rpc::JobAction::kResume, .rebind = true}));
  DL_ASSERT_OK(core.Act({.job = id, .action = rpc::JobAction::kCancel}));
  EXPECT_EQ(core.job(id).record.contract, "c1") << "what a resume will use is what is shown";
  const uint64_t other = core.Register("e2", {.contracts = {{"c9", "avx512"}}});
  DL_ASSERT_OK(core.Act({.job = id, .action = rpc::JobAction::kResume}));
  core.StateIsPrepared(id, 1);
  EXPECT_EQ(core.job(id).record.contract, "c1");
  EXPECT_TRUE(core.LeaseUnits(other).empty());
}

rpc::JobActionRequest RebindTo(const std::string& id, const std::string& isa) {
  return {.job = id, .action = rpc::JobAction::kResume, .rebind = true, .isa = isa};
}

// If no instruction set is requested, the lower one of two executors is chosen.
TEST(Actions, RebindSelectsInstructionSet) {
  CoreHarness core;
  const std::string id = CancelledJob(core);
  core.Register("slow", {.contracts = {{"c2", "avx2"}}});
  const uint64_t fast = core.Register("fast", {.contracts = {{"c512", "avx512"}}});
  EXPECT_THAT(core.Act(RebindTo(id, "avx512")).value_or(""),
              testing::HasSubstr("its rounds are computed under c512 from here on"));
  core.StateIsPrepared(id, 1);
  EXPECT_EQ(core.job(id).record.contract, "c512");
  EXPECT_EQ(core.LeaseUnits(fast).size(), 1u);
}

TEST(Actions, RebindWaitsForIsaAcrossRestart) {
  CoreHarness core;
  const std::string id = CancelledJob(core);
  core.Register("slow", {.contracts = {{"c2", "avx2"}}});
  EXPECT_THAT(core.Act(RebindTo(id, "avx512")).value_or(""),
              testing::HasSubstr("waits for executors that compute with isa avx512"));
  core.Restart();
  core.Register("slow", {.contracts = {{"c2", "avx2"}}});
  core.Wait(std::chrono::seconds(1));
  EXPECT_EQ(core.job(id).record.contract, "");
  EXPECT_THAT(core.job(id).record.message, testing::HasSubstr("isa avx512"));
  core.Register("fast", {.contracts = {{"c512", "avx512"}}});
  core.Wait(std::chrono::seconds(1));
  EXPECT_EQ(core.job(id).record.contract, "c512");
}

TEST(Actions, IsaRequiresRebindAndKnownName) {
  CoreHarness core;
  const std::string id = CancelledJob(core);
  rpc::JobActionRequest request = RebindTo(id, "avx1");
  EXPECT_THAT(core.Act(request), IsError(absl::StatusCode::kInvalidArgument, "avx1"));
  request = RebindTo(id, "avx2");
  request.rebind = false;
  EXPECT_THAT(core.Act(request),
              IsError(absl::StatusCode::kInvalidArgument, "a job keeps its kernel contract"));
  request = RebindTo(id, "avx2");
  request.action = rpc::JobAction::kCheckpoint;
  EXPECT_THAT(core.Act(request),
              IsError(absl::StatusCode::kInvalidArgument, "a job keeps its kernel contract"));
  EXPECT_EQ(core.job(id).record.state, JobState::kCancelled);
}

TEST(Actions, JobWithoutExecutorsSuggestsRebind) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(kJob);
  core.CompleteRound(id, e1);
  core.Register("fast", {.contracts = {{"c512", "avx512"}}});
  core.Do(Asked<rpc::GoodbyeRequest>{77, {.session = e1}});
  core.Wait(std::chrono::seconds(1));
  ASSERT_EQ(core.job(id).record.state, JobState::kWaiting);
  EXPECT_EQ(core.job(id).record.remedy,
            (rpc::Remedy{.kind = rpc::RemedyKind::kRebind, .job = id, .isa = "avx512"}));
  EXPECT_EQ(core.Query("job", id).at("action"),
            (Json{{"name", "rebind"}, {"job", id}, {"isa", "avx512"}}));
}

TEST(Actions, RebindRequiresCheckpointOfLastRound) {
  CoreHarness core({.return_grace = {}});
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(kJob);
  core.CompleteRound(id, e1);
  for (int time = 0; time < 2; ++time) {
    const auto leases = core.LeaseUnits(e1, 1);
    ASSERT_EQ(leases.size(), 1u);
    DL_ASSERT_OK(core.ReportFailure(e1, leases[0], "data_loss"));
    core.Wait(std::chrono::milliseconds(600));
    core.Heartbeat(e1);
  }
  ASSERT_EQ(core.job(id).record.state, JobState::kFailed);
  EXPECT_THAT(core.Act({.job = id, .action = rpc::JobAction::kResume, .rebind = true}),
              IsError(absl::StatusCode::kFailedPrecondition, "another kernel contract"));
}

// ---- beginning from another job's checkpoint ----

}  // namespace
}  // namespace dl::master
