// A job continues under another kernel contract, and the checkpoint at which it changed is damaged.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/rounds_of_one.h"

namespace dl::master {
namespace {

// Rounds 1 and 2 were computed under contract c1, round 3 under c2. Checkpoints of rounds 1 and 2
// exist. The master restarts.
class ReboundRecovery : public RoundsOfOne {
 protected:
  void SetUp() override {
    Begin(1, Long());
    Checkpoint(0);
    Complete();
    Checkpoint(1);
    Complete();
    DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCancel}));
    core_.CheckpointIsWritten(id_, 2);
    core_.Do(Asked<rpc::GoodbyeRequest>{990, {.session = e_[0]}});
    e_[0] = Register(1);
    DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kResume, .rebind = true}));
    core_.StateIsPrepared(id_, 2);
    ASSERT_EQ(job().record.contract, "c2");
    Complete();
    ASSERT_EQ(job().log.committed, 3);
    part_ = job().names.parts.at("model");
    core_.Restart();
  }
  uint64_t Register(uint64_t incarnation, std::vector<std::string> parts = {}) {
    return core_.Register("new", {.incarnation = incarnation,
                                  .contracts = {{"c2", "avx2"}},
                                  .held_parts = std::move(parts)});
  }
  void Checkpoint(int64_t round) {
    DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
    core_.CheckpointIsWritten(id_, round);
  }
  void Complete() { core_.CompleteRound(id_, e_[0]); }
  // The checkpoint of round 2 cannot be read, and the checkpoint of round 1 is loaded.
  void LoadRoundOne() {
    core_.StateIsPrepared(id_, 2, DataLoss({.message = "the disk"}));
    core_.StateIsPrepared(id_, 1);
  }
  std::string part_;  // part of the state of round 3
};

TEST_F(ReboundRecovery, RoundsOfFormerContractAreNotRecomputed) {
  e_[0] = Register(2);
  LoadRoundOne();
  core_.Wait(std::chrono::seconds(1));
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kStorage);
  EXPECT_THAT(job().record.error, dl::test::IsError(absl::StatusCode::kFailedPrecondition,
                                                    "cannot be recomputed under another"));
  EXPECT_EQ(job().record.remedy,
            (rpc::Remedy{.kind = rpc::RemedyKind::kBeginFrom, .job = id_, .round = 1}));
  EXPECT_EQ(job().log.committed, 3);
}

TEST_F(ReboundRecovery, HolderOfLastStateRestoresIt) {
  e_[0] = Register(2, {part_});
  LoadRoundOne();
  core_.Do(PartArrived{id_, part_});
  ASSERT_EQ(PreparedRound(), 3);
  core_.StateIsPrepared(id_, 3);
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_EQ(job().at, 3);
}

TEST_F(ReboundRecovery, RoundsOfNewContractAreRecomputed) {
  e_[0] = Register(2);
  core_.StateIsPrepared(id_, 2);
  core_.Wait(std::chrono::seconds(1));
  Complete();
  EXPECT_EQ(job().counts.replayed_rounds, 1);
  EXPECT_EQ(state(), JobState::kRunning);
}

}  // namespace
}  // namespace dl::master
