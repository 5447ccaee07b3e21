// A master that lacks memory or open files for longer than the merge engine retries. Jobs wait.
#include <cerrno>

#include "base/system_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/one_unit.h"

namespace dl::master {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class LackingResources : public OneUnit {
 protected:
  static Status NoMemory() { return SystemError(ENOMEM, "allocate a state", ""); }
  const Job& job() const { return core_.job(id_); }
};

TEST_F(LackingResources, MergeIsRequestedAgainWithOneWarning) {
  Begin(1);
  const rpc::Lease lease = LeaseTo(1);
  Announce(1, lease, 7);
  core_.Stage(lease, 7, e_[0]);
  ASSERT_EQ(job().phase, Phase::kMerging);
  for (const bool is_first : {true, false}) {
    const uint64_t merge = job().merge;
    core_.Do(RoundMerged{.job = id_, .round = 1, .merge = merge, .status = NoMemory()});
    ASSERT_EQ(core_.EffectsOf<Merge>().size(), 1u);
    EXPECT_NE(core_.EffectsOf<Merge>()[0].number, merge);
    EXPECT_EQ(core_.Warnings(id_).size(), is_first ? 1u : 0u);
  }
  EXPECT_EQ(state(), JobState::kRunning);
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(job().log.committed, 1);
}

TEST_F(LackingResources, FirstStateIsRequestedAgain) {
  e_.push_back(core_.Register("e1"));
  id_ = *core_.Submit(OneWorker());
  KeepAlive(std::chrono::seconds(1));
  ASSERT_EQ(state(), JobState::kStarting);
  core_.StateIsPrepared(id_, 0, NoMemory());
  EXPECT_EQ(core_.EffectsOf<PrepareState>().size(), 1u);
  EXPECT_THAT(core_.Warnings(id_), ElementsAre(HasSubstr("lacks open files or memory")));
  EXPECT_EQ(state(), JobState::kStarting);
  core_.StateIsPrepared(id_);
  EXPECT_EQ(state(), JobState::kRunning);
}

TEST_F(LackingResources, CancelledJobEnds) {
  e_.push_back(core_.Register("e1"));
  id_ = *core_.Submit(OneWorker());
  KeepAlive(std::chrono::seconds(1));
  core_.StateIsPrepared(id_, 0, NoMemory());
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCancel}));
  core_.StateIsPrepared(id_, 0, NoMemory());
  EXPECT_EQ(state(), JobState::kCancelled);
}

TEST_F(LackingResources, CheckpointStaysUsable) {
  Begin(1);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
  core_.CheckpointIsWritten(id_, 0);
  core_.Restart();
  core_.StateIsPrepared(id_, 0, NoMemory());
  EXPECT_TRUE(job().HasCheckpoint(0));
  EXPECT_EQ(core_.EffectsOf<PrepareState>().size(), 1u);
  core_.StateIsPrepared(id_);
  EXPECT_EQ(state(), JobState::kRunning);
}

}  // namespace
}  // namespace dl::master
