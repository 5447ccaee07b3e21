// Checkpoints whose rounds no longer count, and jobs that began from them.
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "master/core/record_keys.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/rounds_of_one.h"

namespace dl::master {
namespace {

using dl::test::IsError;
using testing::HasSubstr;

class SetAsideTest : public RoundsOfOne {
 protected:
  // Starts a job whose checkpoint of round 1 rests on a result of e1 alone.
  void SetUp() override {
    Begin(3, Long());
    core_.CheckpointIsWritten(id_, 0);
    Round(1, 66);
    DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
    core_.CheckpointIsWritten(id_, 1);
    ASSERT_TRUE(job().HasCheckpoint(1));
  }
  // Whether retention will look again.
  bool IsDue() { return core_.store.Get(keys::DueCheckpoints(id_))->has_value(); }
  std::string WarningsOf(const std::string& job) const {
    return absl::StrJoin(core_.Warnings(job), "\n");
  }
  std::string BeginFrom(const std::string& checkpoint) {
    const auto begun = core_.Submit(Long(), "from", {.init_from = checkpoint});
    EXPECT_TRUE(begun.ok()) << begun.status();
    return begun.value_or("");
  }
};

TEST_F(SetAsideTest, RolledBackCheckpointGetsOtherName) {
  Catch(1, 2, 3);
  ASSERT_EQ(job().log.committed, 0);
  EXPECT_TRUE(core_.EffectsOf<DeleteCheckpoint>().empty());
  for (const bool restarted : {false, true}) {
    if (restarted) core_.Restart();
    EXPECT_FALSE(job().checkpoints.contains(1));
    const Json listed = core_.Query("checkpoints", id_);
    ASSERT_EQ(listed.size(), 1u);
    EXPECT_EQ(listed[0]["checkpoint"], id_ + "@1~1");
    EXPECT_EQ(listed[0]["set_aside"], 1);
    EXPECT_EQ(listed[0]["state_sha256"], State(1, 66));
  }
}

TEST_F(SetAsideTest, RecomputedRoundGetsNewCheckpoint) {
  Catch(1, 2, 3);
  core_.StateIsPrepared(id_, 0);
  Round(2, 1);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
  core_.CheckpointIsWritten(id_, 1);
  EXPECT_EQ(job().checkpoints.at(1).names.state_sha256, State(1, 1));
  EXPECT_EQ(job().set_aside.at({1, 1}).names.state_sha256, State(1, 66));
}

// The job rolls back from round 2 to round 1, and computes round 2 again under another contract.
TEST_F(RoundsOfOne, CheckpointSetAsideKeepsTheContractOfItsRound) {
  Begin(3, Long());
  core_.CheckpointIsWritten(id_, 0);
  for (const int executor : {2, 1}) {
    Round(executor, executor == 1 ? 66 : 1);
    DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
    core_.CheckpointIsWritten(id_, job().at);
  }
  Catch(1, 2, 3);
  ASSERT_EQ(job().log.committed, 1);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCancel}));
  core_.StateIsPrepared(id_, 1);
  for (const uint64_t session : e_) core_.Do(Asked<rpc::GoodbyeRequest>{77, {.session = session}});
  core_.Register("other", {.contracts = {{"c9", "avx512"}}});
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kResume, .rebind = true}));
  core_.Do(StatePrepared{.job = id_,
                         .round = 1,
                         .number = job().preparation.number,
                         .names = job().checkpoints.at(1).names});
  ASSERT_EQ(job().log.head.ContractOf(2), "c9");
  for (const bool restarted : {false, true}) {
    if (restarted) core_.Restart();
    const Json listed = core_.Query("checkpoints", id_)[0];
    EXPECT_EQ(listed["checkpoint"], id_ + "@2~1");
    EXPECT_EQ(listed.value("kernel_contract", ""), "c1");
  }
}

// The job rolls back. It writes a checkpoint after the master has run for longer than checkpoints
// are set aside, here two seconds. The wall clock jumps ahead by a year.
class LongAfterSetAside : public SetAsideTest {
 protected:
  void SetUp() override {
    core_.options().set_aside_stays = std::chrono::seconds(2);
    core_.Restart();
    SetAsideTest::SetUp();
  }
  void GoOn() {
    Catch(1, 2, 3);
    core_.StateIsPrepared(id_, 0);
    core_.wall_unix_ms += int64_t{365} * 24 * 3600 * 1000;
    EXPECT_EQ(job().set_aside.size(), 1u) << "a clock that jumps deletes nothing";
    core_.Wait(std::chrono::seconds(3));
    Round(2, 1);
    DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
    core_.CheckpointIsWritten(id_, 1);
  }
};

TEST_F(LongAfterSetAside, CheckpointIsDeleted) {
  GoOn();
  EXPECT_TRUE(job().set_aside.empty());
  EXPECT_EQ(core_.EffectsOf<DeleteCheckpoint>().size(), 1u);
}

TEST_F(LongAfterSetAside, PinnedCheckpointStaysUntilUnpinned) {
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kPin, .round = 1}));
  GoOn();
  ASSERT_EQ(job().set_aside.size(), 1u);
  EXPECT_FALSE(IsDue()) << "a pinned checkpoint needs no other look";
  const auto unpin = [&](int64_t rollback) {
    return core_.Act(
        {.job = id_, .action = rpc::JobAction::kUnpin, .round = 1, .set_aside = rollback});
  };
  EXPECT_THAT(unpin(2).status(),
              IsError(absl::StatusCode::kNotFound, "there is no checkpoint " + id_ + "@1~2"));
  DL_ASSERT_OK(unpin(0));  // the checkpoint of the same round that counts
  ASSERT_EQ(job().set_aside.size(), 1u);
  EXPECT_EQ(unpin(1).value_or(""), id_ + "@1~1 is no longer kept");
  EXPECT_TRUE(job().set_aside.empty());
  EXPECT_EQ(core_.EffectsOf<DeleteCheckpoint>().size(), 1u);
}

TEST_F(LongAfterSetAside, CheckpointThatWasSetAsideCanBePinned) {
  Catch(1, 2, 3);
  core_.StateIsPrepared(id_, 0);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kPin, .round = 1, .set_aside = 1}));
  core_.Restart();
  EXPECT_TRUE(job().set_aside.at({1, 1}).pinned);
  core_.Wait(std::chrono::seconds(3));
  DL_EXPECT_OK(core_.Prune(id_));
  EXPECT_EQ(job().set_aside.size(), 1u);
}

TEST_F(LongAfterSetAside, CheckpointOfEndedJobIsDeletedInTime) {
  Catch(1, 2, 3);
  core_.StateIsPrepared(id_, 0);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCancel}));
  core_.CheckpointIsWritten(id_, 0);
  ASSERT_EQ(job().record.state, JobState::kCancelled);
  DL_EXPECT_OK(core_.Prune(id_));
  ASSERT_EQ(job().set_aside.size(), 1u);
  EXPECT_TRUE(IsDue());
  core_.Wait(std::chrono::seconds(3));
  DL_EXPECT_OK(core_.Prune(id_));
  EXPECT_TRUE(job().set_aside.empty());
  EXPECT_FALSE(IsDue());
  EXPECT_EQ(core_.Query("checkpoints", id_).size(), 1u) << "the stored report";
}

// A client reads the checkpoint, which is set aside meanwhile. The client reads it on by its new
// name.
TEST_F(LongAfterSetAside, CheckpointThatIsReadStaysUntilTheReadEnds) {
  core_.Do(CheckpointRead{{id_, 1}});
  GoOn();
  ASSERT_EQ(job().set_aside.size(), 1u);
  core_.Wait(std::chrono::seconds(50));
  core_.Do(CheckpointRead{{id_, 1, 1}});
  core_.Wait(std::chrono::seconds(50));
  EXPECT_EQ(job().set_aside.size(), 1u);
  core_.Wait(std::chrono::seconds(20));
  EXPECT_TRUE(job().set_aside.empty());
}

// A reader ends its reading by the name with which it began.
TEST_F(LongAfterSetAside, ReaderThatEndsByTheOldNameProtectsItNoLonger) {
  core_.Do(CheckpointRead{{id_, 1}, 7});
  GoOn();
  ASSERT_EQ(job().set_aside.size(), 1u);
  core_.Do(ReadEnded{{id_, 1}, 7});
  EXPECT_TRUE(job().set_aside.empty());
}

// Checkpoints are set aside for four hours.
class RestartAfterSetAside : public SetAsideTest {
 protected:
  void SetUp() override {
    core_.options().set_aside_stays = std::chrono::hours(4);
    core_.Restart();
    SetAsideTest::SetUp();
    Catch(1, 2, 3);
    core_.StateIsPrepared(id_, 0);
    ASSERT_EQ(job().set_aside.size(), 1u);
  }
  // Lets time pass, in which the executors are lost. Then another executor computes a round, and a
  // checkpoint is written.
  void CommitAfter(Duration time) {
    core_.Wait(time);
    core_.CompleteRound(id_, core_.Register("another-" + std::to_string(++others_)));
    DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
    core_.CheckpointIsWritten(id_, job().at);
  }
  void Restart() {
    const int64_t round = job().at;
    core_.Restart();
    core_.StateIsPrepared(id_, round);
  }

 private:
  int others_ = 0;
};

TEST_F(RestartAfterSetAside, CheckpointIsDeletedAfterTimeOfBothMasters) {
  CommitAfter(std::chrono::hours(3));
  Restart();
  CommitAfter(std::chrono::minutes(50));
  EXPECT_EQ(job().set_aside.size(), 1u);
  CommitAfter(std::chrono::minutes(20));
  EXPECT_TRUE(job().set_aside.empty());
}

// An ended job leaves the memory. Each look reads it from the store again.
TEST_F(RestartAfterSetAside, TimeOfJobThatIsNotInMemoryCountsOnce) {
  core_.options().ended_kept = 0;
  Restart();
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCancel}));
  for (int i = 0; i < 3; ++i) {
    core_.Wait(std::chrono::minutes(65));
    DL_EXPECT_OK(core_.Prune(id_));
    EXPECT_TRUE(IsDue()) << i;
  }
  core_.Wait(std::chrono::minutes(65));
  DL_EXPECT_OK(core_.Prune(id_));
  EXPECT_FALSE(IsDue());
}

TEST_F(RestartAfterSetAside, TimeWithoutMasterDoesNotCount) {
  Restart();
  core_.wall_unix_ms += int64_t{365} * 24 * 3600 * 1000;
  CommitAfter(std::chrono::hours(3));
  EXPECT_EQ(job().set_aside.size(), 1u);
}

TEST_F(SetAsideTest, JobFromItKeepsItAndIsWarned) {
  const std::string other = BeginFrom(id_ + "@1");
  EXPECT_EQ(core_.job(other).attestations.source_unverified, (std::set<std::string>{"e1"}));
  Catch(1, 2, 3);
  EXPECT_THAT(WarningsOf(other), HasSubstr("it started from checkpoint " + id_ + "@1"));
  EXPECT_EQ(core_.job(other).record.init_from, id_ + "@1~1");
  EXPECT_EQ(core_.Query("result", other)["distrusted_source"], Json({"e1"}));
  core_.Restart();
  EXPECT_EQ(core_.job(other).begins_from_manifest, job().set_aside.at({1, 1}).manifest);
  EXPECT_EQ(core_.Query("result", other)["distrusted_source"], Json({"e1"}));
}

// The record of the ended job is only in the store when its source is set aside.
TEST_F(SetAsideTest, EndedJobNamesSourceByNewName) {
  const Status damaged = absl::DataLossError("the source cannot be read");
  const std::string other = BeginFrom(id_ + "@1");
  core_.StateIsPrepared(other, 0, damaged);
  ASSERT_EQ(core_.job(other).record.state, JobState::kFailed);
  core_.Restart();
  e_.clear();
  for (const char* name : {"e1", "e2", "e3"})
    e_.push_back(core_.Register(name, {.incarnation = 2}));
  core_.RunningJob(OneWorker());
  Catch(1, 2, 3);
  ASSERT_TRUE(job().set_aside.contains({1, 1}));
  for (const bool restarted : {false, true}) {
    if (restarted) core_.Restart();
    EXPECT_EQ(core_.job(other).record.init_from, id_ + "@1~1");
    EXPECT_EQ(core_.job(other).begins_from_manifest, job().set_aside.at({1, 1}).manifest);
  }
  DL_ASSERT_OK(core_.Act({.job = other, .action = rpc::JobAction::kResume}));
  core_.StateIsPrepared(other, 0, damaged);
  DL_ASSERT_OK(core_.Act({.job = other, .action = rpc::JobAction::kDelete}));
  EXPECT_FALSE(core_.store.Get(keys::RenamedSource(other))->has_value());
}

TEST_F(SetAsideTest, OnlyCompleteNameStartsJobWithWarning) {
  Catch(1, 2, 3);
  EXPECT_THAT(core_.Submit(Long(), "bare", {.init_from = id_ + "@1"}),
              IsError(absl::StatusCode::kNotFound, "there is no checkpoint"));
  const std::string other = BeginFrom(id_ + "@1~1");
  EXPECT_THAT(WarningsOf(other), HasSubstr("which was set aside"));
  EXPECT_FALSE(core_.job(other).begins_from_manifest.empty());
}

}  // namespace
}  // namespace dl::master
