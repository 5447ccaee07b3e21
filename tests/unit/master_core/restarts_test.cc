// How a restarted master finds its jobs, and where they continue.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "master/core/machine/unit_progress.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using dl::test::IsError;
using testing::IsEmpty;
using testing::SizeIs;

const JobDefinition kRestartedJob = CoreHarness::Definition();

TEST(Eligibility, LargeStateGetsTransferTime) {
  JobDefinition large = kRestartedJob;
  large.contribution_bytes = 1'000'000'000;
  CoreHarness core({.memory_bytes = int64_t{8} << 30, .staging_bytes = int64_t{8} << 30});
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(large);
  core.CompleteRound(id, e1);
  const std::string part = core.job(id).names.parts.at("model");
  for (const bool offered : {false, true}) {
    core.Restart();
    core.StateIsPrepared(id);
    rpc::RegisterRequest who{.incarnation = offered ? 3u : 2u};
    if (offered) who.held_parts = {part};
    const uint64_t again = core.Register("e1", who);
    core.Wait(std::chrono::seconds(1));
    EXPECT_EQ(core.job(id).phase, offered ? Phase::kOffers : Phase::kTraining);
    for (int i = 0; i < 10; ++i) {
      core.Heartbeat(again);
      core.Wait(std::chrono::seconds(1));
    }
    EXPECT_EQ(core.job(id).phase, Phase::kTraining) << "it did not come";
  }
}

class Restarts : public testing::Test {
 protected:
  // Commits two rounds, each with a checkpoint.
  void SetUp() override {
    e1_ = core_.Register("e1");
    JobDefinition definition = kRestartedJob;
    definition.checkpoint = {.every_rounds = 1, .keep_last = 5};
    id_ = core_.RunningJob(definition);
    for (int64_t round = 1; round <= 2; ++round) {
      core_.CompleteRound(id_, e1_);
      core_.CheckpointIsWritten(id_, round);
    }
  }
  int64_t PreparedRound() const {
    const auto effects = core_.EffectsOf<PrepareState>();
    return effects.size() == 1 ? effects[0].round : -1;
  }
  const Job& job() const { return core_.job(id_); }

  CoreHarness core_;
  uint64_t e1_ = 0;
  std::string id_;
};

TEST_F(Restarts, JobContinuesAtNewestCheckpoint) {
  core_.Restart();
  EXPECT_EQ(job().record.state, JobState::kRecovering);
  EXPECT_EQ(PreparedRound(), 2);
  core_.StateIsPrepared(id_, 2);
  EXPECT_EQ(job().record.reason, Reason::kNone) << "its executors have a moment to come back";
  core_.Wait(core_.core().NextDeadline() - core_.now);
  EXPECT_EQ(job().record.reason, Reason::kWaitingForExecutors);
  core_.Register("e1", {.incarnation = 2});
  EXPECT_EQ(job().record.state, JobState::kRunning);
}

TEST_F(Restarts, DurationOfRoundsIsKnown) {
  const double before = core_.job(id_).record.wall_seconds;
  core_.Wait(std::chrono::seconds(5));
  core_.CompleteRound(id_, e1_);
  core_.Restart();
  EXPECT_GE(job().record.wall_seconds, before + 5);
}

// A unit that hangs would otherwise be given up after 10 times its bound instead of 2.
TEST(RestartedMaster, KnowsHowLongUnitsTake) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(kRestartedJob);
  for (const rpc::Lease& lease : core.LeaseUnits(e1, 8)) {
    core.Wait(std::chrono::milliseconds(700));
    DL_ASSERT_OK(core.Announce(e1, lease, 7));
    core.Stage(lease, 7, e1);
  }
  core.RoundIsMerged(id, 1);
  const Duration before = core.job(id).duration_stats.judged_by;
  ASSERT_GE(before, std::chrono::milliseconds(700));
  core.Restart();
  const Job& restarted = core.job(id);
  EXPECT_EQ(restarted.duration_stats.judged_by, before);
  EXPECT_EQ(master::Progress::LongestRestartBound(restarted),
            2 * master::Progress::ProgressBound(restarted));
}

TEST_F(Restarts, RecomputedRoundCountsItsExamples) {
  core_.Restart();
  core_.StateIsPrepared(id_, 2, DataLoss({.message = "damaged"}));
  core_.StateIsPrepared(id_, 1, DataLoss({.message = "damaged"}));
  core_.StateIsPrepared(id_, 0);
  const uint64_t again = core_.Register("e1", {.incarnation = 2});
  core_.Wait(std::chrono::milliseconds(1100));
  core_.CompleteRound(id_, again);
  for (const Emit& emit : core_.EffectsOf<Emit>()) {
    if (const auto* round = std::get_if<RoundEvent>(&emit.content)) {
      EXPECT_EQ(round->examples, 4);
    }
  }
  EXPECT_EQ(job().ExamplesUpTo(job().log.committed), 8);
}

TEST_F(Restarts, CheckpointIsRefusedUntilStateIsLoaded) {
  core_.CompleteRound(id_, e1_);  // round 3, the last; its checkpoint is not written
  core_.Restart();
  const rpc::JobActionRequest now{.job = id_, .action = rpc::JobAction::kCheckpoint};
  EXPECT_THAT(core_.Act(now), IsError(absl::StatusCode::kFailedPrecondition, "is not loaded yet"));
  core_.StateIsPrepared(id_, 2);
  EXPECT_THAT(core_.Act(now), IsError(absl::StatusCode::kFailedPrecondition, "RECOVERING"));
  const uint64_t again = core_.Register("e1", {.incarnation = 2});
  core_.Wait(std::chrono::milliseconds(1100));
  core_.CompleteRound(id_, again);
  core_.CheckpointIsWritten(id_, 3);
  EXPECT_TRUE(job().HasCheckpoint(3));
}

TEST_F(Restarts, DamagedCheckpointIsReplacedByEarlierOne) {
  core_.Restart();
  core_.StateIsPrepared(id_, 2, DataLoss({.message = "a chunk is damaged"}));
  EXPECT_EQ(PreparedRound(), 1);
  core_.StateIsPrepared(id_, 1);
  const uint64_t again = core_.Register("e1", {.incarnation = 2});
  core_.Wait(std::chrono::milliseconds(1100));
  core_.CompleteRound(id_, again);
  EXPECT_EQ(job().counts.replayed_rounds, 1);
  EXPECT_EQ(core_.EffectsOf<WriteCheckpoint>().size(), 1u);
  core_.CheckpointIsWritten(id_, 2);
  EXPECT_TRUE(job().HasCheckpoint(2));
}

TEST_F(Restarts, NoUsableCheckpointRestartsFromSeed) {
  core_.Restart();
  core_.StateIsPrepared(id_, 2, DataLoss({.message = "damaged"}));
  core_.StateIsPrepared(id_, 1, DataLoss({.message = "damaged"}));
  ASSERT_EQ(PreparedRound(), 0);
  EXPECT_EQ(core_.EffectsOf<PrepareState>()[0].source, PrepareState::Source::kInitial);
  core_.StateIsPrepared(id_, 0, DataLoss({.message = "no memory"}));
  EXPECT_EQ(job().record.state, JobState::kFailed);
  EXPECT_EQ(job().record.reason, Reason::kStorage);
}

TEST_F(Restarts, CheckpointUnlikeCommitIsNotUsed) {
  core_.Restart();
  core_.Do(StatePrepared{.job = id_,
                         .round = 2,
                         .number = job().preparation.number,
                         .names = {.state_sha256 = "another", .parts = {{"model", "another"}}}});
  EXPECT_EQ(PreparedRound(), 1);
}

TEST_F(Restarts, RecomputedRoundWithOtherStateFailsJob) {
  core_.Restart();
  core_.StateIsPrepared(id_, 2, DataLoss({.message = "damaged"}));
  core_.StateIsPrepared(id_, 1);
  const uint64_t again = core_.Register("e1", {.incarnation = 2});
  core_.Wait(std::chrono::milliseconds(1100));
  for (const rpc::Lease& lease : core_.LeaseUnits(again, 8)) {
    const auto bits = static_cast<uint64_t>(200 + lease.unit.index);
    DL_ASSERT_OK(core_.Announce(again, lease, bits));
    core_.Stage(lease, bits, again);
  }
  core_.RoundIsMerged(id_, 2, "other bits");
  EXPECT_EQ(job().record.state, JobState::kFailed);
  EXPECT_EQ(job().record.reason, Reason::kReplayMismatch);
}

TEST_F(Restarts, StateHeldByExecutorIsRequested) {
  core_.CompleteRound(id_, e1_);  // round 3, no checkpoint yet
  const std::string part = job().names.parts.at("model");
  core_.Restart();
  core_.StateIsPrepared(id_, 2);
  const uint64_t again = core_.Register("e1", {.incarnation = 2, .held_parts = {part}});
  EXPECT_EQ(core_.Heartbeat(again).offer, (std::vector<std::string>{id_ + "/" + part}));
  core_.Do(PartArrived{id_, part});
  ASSERT_EQ(PreparedRound(), 3);
  core_.StateIsPrepared(id_, 3);
  EXPECT_EQ(job().counts.replayed_rounds, 0);
  EXPECT_EQ(job().phase, Phase::kFinishing);
}

TEST_F(Restarts, StateOfExecutorThatEndsIsRequestedFromAnother) {
  core_.CompleteRound(id_, e1_);  // round 3, no checkpoint yet
  const std::string part = job().names.parts.at("model");
  core_.Restart();
  core_.StateIsPrepared(id_, 2);
  const uint64_t first = core_.Register("e1", {.incarnation = 2, .held_parts = {part}});
  const uint64_t second = core_.Register("e2", {.incarnation = 1, .held_parts = {part}});
  EXPECT_THAT(core_.Heartbeat(first).offer, SizeIs(1));
  EXPECT_THAT(core_.Heartbeat(second).offer, IsEmpty());
  core_.Register("e1", {.incarnation = 3});  // the process crashed, and holds nothing
  EXPECT_EQ(core_.Heartbeat(second).offer, (std::vector<std::string>{id_ + "/" + part}));
  core_.Register("e2", {.incarnation = 2});
  const uint64_t last = core_.Register("e3", {.incarnation = 1, .held_parts = {part}});
  EXPECT_THAT(core_.Heartbeat(last).offer, SizeIs(1));
  core_.Do(PartArrived{id_, part});
  ASSERT_EQ(PreparedRound(), 3);
}

TEST_F(Restarts, ExecutorsThatEndDoNotHoldJobUp) {
  core_.CompleteRound(id_, e1_);
  const std::string part = job().names.parts.at("model");
  core_.Restart();
  core_.StateIsPrepared(id_, 2);
  uint64_t incarnation = 2;
  for (int seconds = 0; seconds < 120 && job().phase == Phase::kOffers; ++seconds) {
    const uint64_t session =
        core_.Register("e1", {.incarnation = incarnation++, .held_parts = {part}});
    core_.Heartbeat(session);
    core_.Wait(std::chrono::seconds(1));
  }
  EXPECT_EQ(job().phase, Phase::kTraining) << "the rounds are computed again";
}

TEST_F(Restarts, ResultDuringLoadIsRequestedAgain) {
  const rpc::Lease lease = core_.LeaseUnits(e1_).at(0);
  const rpc::AnnounceRequest ready = core_.Announcement(e1_, lease, 300);
  core_.Restart();
  const uint64_t again = core_.Register("e1", {.incarnation = 2});
  rpc::AnnounceRequest request = ready;
  request.session = again;
  core_.Do(Asked<Announcement>{5, ParseAnnouncement(request)});
  EXPECT_THAT(core_.EffectsOf<Answer>().at(0).status,
              IsError(absl::StatusCode::kUnavailable, "again"));
  EXPECT_TRUE(core_.Heartbeat(again, {{.unit = lease.unit, .lease = lease.lease}}).abandon.empty());
  core_.StateIsPrepared(id_, 2);
  core_.Do(Asked<Announcement>{6, ParseAnnouncement(request)});
  EXPECT_EQ(std::get<rpc::AnnounceReply>(core_.EffectsOf<Answer>().at(0).reply).verdict,
            rpc::Verdict::kSend);
}

TEST_F(Restarts, CancellationInProgressIsFinished) {
  core_.CompleteRound(id_, e1_);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCancel}));
  core_.Restart();
  EXPECT_EQ(job().record.state, JobState::kCancelled);
  EXPECT_LT(job().record.wall_seconds, 60);
}

TEST_F(Restarts, ShutdownWritesCheckpointAndJobContinues) {
  core_.CompleteRound(id_, e1_);
  core_.CheckpointIsWritten(id_, 3);
  CoreHarness other;
  const uint64_t e1 = other.Register("e1");
  const std::string id = other.RunningJob(kRestartedJob);
  other.CompleteRound(id, e1);
  EXPECT_FALSE(other.core().ReadyToStop());
  other.Do(ShutdownRequested{});
  ASSERT_EQ(other.EffectsOf<WriteCheckpoint>().size(), 1u);
  EXPECT_FALSE(other.core().ReadyToStop());
  EXPECT_TRUE(other.LeaseUnits(e1).empty());
  EXPECT_TRUE(other.Heartbeat(e1).master_stops);
  other.CheckpointIsWritten(id, 1);
  EXPECT_TRUE(other.core().ReadyToStop());
  other.Restart();
  EXPECT_EQ(other.job(id).record.state, JobState::kRecovering);
}

}  // namespace
}  // namespace dl::master
