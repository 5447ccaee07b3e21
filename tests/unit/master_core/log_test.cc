// The records of its round log that a job has in memory, and how it reads others.
#include "gtest/gtest.h"
#include "master/core/record_keys.h"
#include "master/log_reading.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using dl::test::IsError;

class RoundLogTest : public testing::Test {
 protected:
  // Runs rounds with one checkpoint, at round 5.
  void Run(int64_t rounds, int64_t examples_of_epoch = 4) {
    e1_ = core_.Register("e1");
    JobDefinition definition = CoreHarness::Definition();
    definition.verify_fraction = 1e-9;  // verification is on, but no unit is sampled
    definition.epochs = 1'000'000;
    definition.example_hash_sum = definition.plan.examples = examples_of_epoch;
    definition.checkpoint = {.every_epoch = false};
    id_ = core_.RunningJob(definition);
    for (int64_t round = 1; round <= rounds; ++round) {
      core_.CompleteRound(id_, e1_);
      if (round != 5) continue;
      DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
      core_.CheckpointIsWritten(id_, 5);
    }
  }
  void Restart() {
    core_.Restart();
    e1_ = core_.Register("e1", {.incarnation = ++lives_});
  }
  // Computes rounds again with the states of CompleteRound.
  void Replay(int64_t from, int64_t to) {
    for (int64_t round = from; round <= to; ++round) {
      ASSERT_EQ(job().at, round - 1);
      core_.CompleteRound(id_, e1_);
      most_ = std::max(most_, job().log.commits.size());
    }
  }
  void Put(const std::string& key, std::optional<std::string> value) {
    storage::MetaBatch batch;
    if (value) {
      batch.Put(key, *value);
    } else {
      batch.Delete(key);
    }
    DL_ASSERT_OK(core_.store.Write(batch));
  }
  const Job& job() const { return core_.job(id_); }

  CoreHarness core_;
  uint64_t e1_ = 0, lives_ = 1;
  size_t most_ = 0;
  std::string id_;
};

TEST_F(RoundLogTest, CommitsInMemoryAreLimited) {
  Run(1000);
  EXPECT_EQ(job().log.committed, 1000);
  EXPECT_LE(job().log.commits.size(), static_cast<size_t>(CoreOptions{}.commits_kept) + 2);
  EXPECT_EQ(LoadWholeLog(core_.store, id_)->records.size(), 1001u);
}

TEST_F(RoundLogTest, EvaluationsInMemoryAreLimited) {
  JobDefinition definition = CoreHarness::Definition();
  definition.epochs = 1000;
  definition.test_examples = definition.examples_per_evaluation_unit = 1;
  e1_ = core_.Register("e1");
  id_ = core_.RunningJob(definition);
  for (int64_t round = 1; round <= 200; ++round) {
    core_.CompleteRound(id_, e1_);
    DL_ASSERT_OK(core_.Announce(e1_, core_.LeaseUnits(e1_).at(0), 200 - round));
  }
  EXPECT_LE(job().log.evaluations.size(), 2u);
  const BestSoFar best = job().log.best;
  Restart();
  EXPECT_EQ(job().log.best.round, best.round);
  EXPECT_EQ(job().log.best.value, best.value);
}

TEST_F(RoundLogTest, RoundsAreReplayedInRanges) {
  Run(300);
  Restart();
  ASSERT_EQ(core_.EffectsOf<PrepareState>().size(), 0u);  // the executor registered too late
  core_.StateIsPrepared(id_, 5);
  core_.Wait(std::chrono::seconds(1));  // no executor offers the last state
  Replay(6, 300);
  EXPECT_FALSE(job().replaying());
  EXPECT_EQ(job().record.state, JobState::kRunning);
  EXPECT_EQ(job().counts.replayed_rounds, 295);
  EXPECT_LE(most_, static_cast<size_t>(3 * CoreOptions{}.commits_kept));
  core_.CompleteRound(id_, e1_);
  EXPECT_EQ(job().log.committed, 301);
}

TEST_F(RoundLogTest, RoundOutsideMemoryIsComparedWithCommit) {
  Run(300);
  Restart();
  core_.StateIsPrepared(id_, 5);
  core_.Wait(std::chrono::seconds(1));
  Replay(6, 149);
  for (const rpc::Lease& lease : core_.LeaseUnits(e1_, 8)) {
    const auto bits = static_cast<uint64_t>(15'000 + lease.unit.index);
    DL_ASSERT_OK(core_.Announce(e1_, lease, bits));
    core_.Stage(lease, bits, e1_);
  }
  core_.RoundIsMerged(id_, 150, "another");
  EXPECT_EQ(job().record.state, JobState::kFailed);
  EXPECT_EQ(job().record.reason, Reason::kReplayMismatch);
}

TEST_F(RoundLogTest, StartReadsOnlyAfterCheckpoint) {
  Run(200);
  Put(keys::LogRecord(id_, 2), "damaged");
  Restart();
  EXPECT_EQ(job().record.state, JobState::kRecovering);
  core_.StateIsPrepared(id_, 5);
  EXPECT_EQ(job().phase, Phase::kOffers);
}

TEST_F(RoundLogTest, DamagedRecordAfterCheckpointFailsJob) {
  Run(200);
  Put(keys::LogRecord(id_, 100), "damaged");
  Restart();
  EXPECT_EQ(job().record.state, JobState::kFailed);
  EXPECT_THAT(job().record.error, IsError(absl::StatusCode::kDataLoss, "record 100"));
  EXPECT_EQ(core_.Query("result", id_).value("rounds", 0), 200);
}

TEST_F(RoundLogTest, ChangedRecordAfterCheckpointBreaksChain) {
  Run(100);
  std::string text = **core_.store.Get(keys::LogRecord(id_, 50));
  const size_t at = text.find("\"examples\":2");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 12, "\"examples\":1");
  Put(keys::LogRecord(id_, 50), text);
  Restart();
  EXPECT_THAT(job().record.error, IsError(absl::StatusCode::kDataLoss, "record 51"));
}

TEST_F(RoundLogTest, TruncatedEndIsDetected) {
  Run(20);
  Put(keys::LogRecord(id_, 20), std::nullopt);
  core_.Restart();
  EXPECT_THAT(core_.job(id_).damage, IsError(absl::StatusCode::kDataLoss, "record 20"));
}

// An accepted loss may have removed the head.
TEST_F(RoundLogTest, LogWithoutHeadIsReadCompletelyOnce) {
  Run(100);
  Put(keys::LogHead(id_), std::nullopt);
  Restart();
  EXPECT_EQ(job().log.head.length, 101);
  EXPECT_EQ(job().checkpoints.at(5).place, 5);
  core_.StateIsPrepared(id_, 5);
  EXPECT_EQ(job().phase, Phase::kOffers);
  EXPECT_EQ(LoadLog(core_.store, id_)->head.commit, 100);
  Put(keys::LogRecord(id_, 2), "damaged");  // it is not read again
  core_.Restart();
  DL_EXPECT_OK(job().damage);
}

// The rollback goes further back than the records in memory, and the master restarts before it has
// read the log again.
TEST_F(RoundLogTest, LongRollbackFindsPlaceAfterRestart) {
  CoreHarness& core = core_;
  Run(200, 1'000'000 * 4);
  const auto unverified = [&] { return job().attestations.unverified_since; };
  ASSERT_EQ(unverified().at("e1"), 1);
  const uint64_t e2 = core.Register("e2"), e3 = core.Register("e3");
  // E1 is found to be wrong, so none of its rounds counts.
  const std::vector<rpc::Lease> mine = core.LeaseUnits(e1_, 8);
  DL_ASSERT_OK(core.Announce(e1_, mine.at(0), 1));
  for (const uint64_t session : {e2, e3}) {
    rpc::Lease lease = mine.at(0);
    DL_ASSERT_OK(core.Announce(session, lease, 2));
  }
  EXPECT_EQ(job().log.committed, 0);
  EXPECT_EQ(job().record.state, JobState::kRecovering);
  EXPECT_EQ(job().log.head.length, 202);
  EXPECT_EQ(job().log.head.commit, 0);
  core.Restart();
  EXPECT_EQ(job().log.committed, 0);
  EXPECT_EQ(job().record.state, JobState::kRecovering);
  core.StateIsPrepared(id_, 0);
  EXPECT_EQ(job().phase, Phase::kTraining);
}

// The last evaluation that counts precedes all records that are read. The checkpoint contains it.
TEST_F(RoundLogTest, RollbackFindsEvaluationBeforeCheckpoint) {
  JobDefinition definition = CoreHarness::Definition();
  definition.plan.examples = 400;  // an epoch of 100 rounds
  definition.example_hash_sum = 400;
  definition.epochs = 100;
  definition.test_examples = definition.examples_per_evaluation_unit = 1;
  definition.checkpoint = {.every_epoch = false};
  e1_ = core_.Register("e1");
  id_ = core_.RunningJob(definition);
  rpc::AnnounceRequest late;
  for (int64_t round = 1; round <= 210; ++round) {
    if (round == 199) {
      const uint64_t e2 = core_.Register("e2");
      const rpc::Lease lease{.unit = {id_, UnitKind::kTrain, round, 0},
                             .base_sha256 = job().names.state_sha256,
                             .spec_sha256 = job().definition.spec_sha256};
      late = core_.Announcement(e2, lease, 66);
    }
    core_.CompleteRound(id_, e1_);
    if (round % 100 == 0) {
      const rpc::Lease lease = core_.LeaseUnits(e1_).at(0);
      DL_ASSERT_OK(core_.Announce(e1_, lease, static_cast<uint64_t>(7 - round / 100)));
    }
    if (round != 180) continue;
    DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
    core_.CheckpointIsWritten(id_, 180);
  }
  ASSERT_EQ(job().log.best.round, 200);
  ASSERT_FALSE(job().log.evaluations.contains(100));
  core_.Do(Asked<Announcement>{903, ParseAnnouncement(late)});
  ASSERT_EQ(job().log.committed, 198);
  EXPECT_EQ(job().record.state, JobState::kRecovering);
  EXPECT_EQ(job().log.best.round, 100);
  EXPECT_EQ(job().log.head.evaluation, 101);
}

}  // namespace
}  // namespace dl::master
