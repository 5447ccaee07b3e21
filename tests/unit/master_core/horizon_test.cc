// The horizon of distrust: how far a job rolls back when an executor is found to be wrong.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "master/core/records/unverified_record.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/rounds_of_one.h"

namespace dl::master {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class Horizon : public RoundsOfOne {
 protected:
  void SetUp() override {
    Begin(3, Long());
    core_.CheckpointIsWritten(id_, 0);
  }
  // Computes rounds with e1 that another executor confirms.
  void ConfirmedRounds(int count) {
    for (int i = 0; i < count; ++i) {
      const rpc::Lease lease = LeaseTo(1);
      Announce(1, lease, 7);
      core_.Stage(lease, 7, e_[0]);
      Announce(
          2,
          {.unit = lease.unit, .base_sha256 = lease.base_sha256, .spec_sha256 = lease.spec_sha256},
          7);
      const int64_t round = job().at + 1;
      core_.RoundIsMerged(id_, round, State(round, 7));
      ASSERT_EQ(job().log.committed, round);
    }
  }
  // Restarts the master and all executors.
  void RestartAll() {
    core_.Restart();
    e_.clear();
    for (const char* name : {"e1", "e2", "e3"})
      e_.push_back(core_.Register(name, {.incarnation = 2}));
    core_.StateIsPrepared(id_, 0);
    core_.Wait(std::chrono::seconds(1));
  }
};

TEST_F(Horizon, ConfirmedResultsMoveHorizon) {
  Round(2, 1);
  Round(1, 7);
  ConfirmedRounds(kConfirmationsOfHorizon);
  const int64_t confirmed = job().log.committed;
  EXPECT_THAT(job().attestations.unverified_since, IsEmpty());
  EXPECT_THAT(job().attestations.unverified_first, ElementsAre(Pair("e1", 2), Pair("e2", 1)));
  Round(1, 66);
  Round(2, 3);
  Catch(1, 2, 3);
  EXPECT_EQ(job().log.committed, confirmed);
}

TEST_F(Horizon, FewConfirmedResultsKeepHorizon) {
  Round(2, 1);
  Round(1, 7);
  ConfirmedRounds(kConfirmationsOfHorizon - 1);
  Round(1, 66);
  Catch(1, 2, 3);
  EXPECT_EQ(job().log.committed, 1);
}

TEST_F(Horizon, MovesToFirstUnconfirmedRound) {
  Round(2, 1);
  Round(1, 7);
  ConfirmedRounds(2);
  Round(1, 66);
  ConfirmedRounds(kConfirmationsOfHorizon - 2);
  EXPECT_EQ(job().attestations.unverified_since.at("e1"), 5);
  ConfirmedRounds(kConfirmationsOfHorizon - 1);
  EXPECT_EQ(job().attestations.unverified_since.at("e1"), 5);
  Catch(1, 2, 3);
  EXPECT_EQ(job().log.committed, 4);
}

TEST_F(Horizon, SurvivesRestart) {
  Round(1, 7);
  ConfirmedRounds(3);
  Round(1, 7);
  ConfirmedRounds(kConfirmationsOfHorizon - 3);
  core_.Restart();
  EXPECT_EQ(job().attestations.unverified_since.at("e1"), 5);
  EXPECT_EQ(job().attestations.unverified_first.at("e1"), 1);
}

TEST_F(Horizon, RolledBackRoundsConfirmNothing) {
  Round(1, 7);
  Round(3, 66);
  ConfirmedRounds(kConfirmationsOfHorizon - 1);
  Catch(3, 1, 2);
  ASSERT_EQ(job().log.committed, 1);
  EXPECT_THAT(job().attestations.confirmations, IsEmpty());
  EXPECT_EQ(job().attestations.unverified_since.at("e1"), 1);
}

// A result that the executor kept does not confirm a round that rests on this executor alone, even
// if the executor was confirmed many times since.
TEST_F(Horizon, OwnKeptResultIsNoConfirmation) {
  Round(2, 1);
  const rpc::Lease before = LeaseTo(1);
  Announce(1, before, 66);
  core_.Stage(before, 66, e_[0]);
  core_.RoundIsMerged(id_, 2, State(2, 66));
  ConfirmedRounds(kConfirmationsOfHorizon);
  ASSERT_FALSE(job().attestations.unverified_since.contains("e1"));
  RestartAll();
  Round(2, 1);
  Announce(1, before, 66);
  const rpc::Lease bare{
      .unit = before.unit, .base_sha256 = before.base_sha256, .spec_sha256 = before.spec_sha256};
  Announce(2, bare, 7);
  EXPECT_FALSE(core_.core().quarantined().contains("e2"));
  Announce(3, bare, 7);
  EXPECT_TRUE(core_.core().quarantined().contains("e1"));
  EXPECT_EQ(job().log.committed, 1);
}

class CheckpointBeforeHorizon : public RoundsOfOne {
 protected:
  // Commits a round of the executor, and writes its checkpoint.
  void CheckpointedRound(int executor, uint64_t bits) {
    Round(executor, bits);
    DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
    core_.CheckpointIsWritten(id_, job().at);
  }
};

// All newer checkpoints are set aside.
TEST_F(CheckpointBeforeHorizon, IsWhereARollbackBegins) {
  JobDefinition definition = Long();
  definition.checkpoint.keep_last = 1;
  definition.checkpoint.keep_best = 0;
  Begin(3, definition);
  CheckpointedRound(2, 1);
  CheckpointedRound(1, 66);
  for (uint64_t bits = 3; bits <= 6; ++bits) CheckpointedRound(3, bits);
  EXPECT_LE(job().checkpoints.size(), 3u);
  Catch(1, 2, 3);
  EXPECT_EQ(job().log.committed, 1);
  EXPECT_EQ(PreparedRound(), 1);
}

// The executor may keep such a result and announce it again. It is then no second opinion.
TEST(Attestations, RollbackKeepsTheFirstUnconfirmedRound) {
  Attestations attestations;
  attestations.RecordUnconfirmed("e1", 2);
  attestations.ForgetRoundsAfter(1);
  EXPECT_TRUE(attestations.MayRestOn("e1", 2));
  EXPECT_FALSE(attestations.unverified_since.contains("e1"));
}

// After a rollback, an executor may alone compute a round before the first that it computed alone
// until then.
TEST(Attestations, RecordAfterARollbackCanBeRead) {
  Attestations attestations;
  attestations.RecordUnconfirmed("e1", 7);
  attestations.ForgetRoundsAfter(3);
  attestations.RecordUnconfirmed("e1", 5);
  const auto read = UnverifiedFromJson(ToJson(attestations), "unverified/sim-1");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->MayRestOn("e1", 5));
  EXPECT_FALSE(read->MayRestOn("e1", 4));
}

}  // namespace
}  // namespace dl::master
