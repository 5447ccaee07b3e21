// An executor that gives two different results of one unit is wrong, whatever others say.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/rounds_of_one.h"

namespace dl::master {
namespace {

using rpc::Verdict;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class SelfContradiction : public RoundsOfOne {
 protected:
  // Executor e1 gives different results of one unit under one lease.
  void ContradictItself(int results) {
    const rpc::Lease lease = LeaseTo(1);
    EXPECT_EQ(Announce(1, lease, 7), Verdict::kSend);
    for (int i = 1; i < results; ++i)
      EXPECT_EQ(Announce(1, lease, 7 + static_cast<uint64_t>(i)), Verdict::kUnwanted);
  }
  const Unit& unit() const { return job().units.at(0); }
};

TEST_F(SelfContradiction, SecondResultQuarantines) {
  Begin(1);
  ContradictItself(2);
  EXPECT_THAT(core_.Warnings(id_), Contains(HasSubstr("two different results of unit")));
  EXPECT_EQ(core_.EffectsOf<DropContribution>().size(), 1u);
  EXPECT_THAT(core_.core().quarantined(), ElementsAre("e1"));
  EXPECT_FALSE(unit().accepted);
  EXPECT_TRUE(unit().results.empty());
  KeepAlive(std::chrono::minutes(2));
  EXPECT_EQ(state(), JobState::kWaiting) << "for an executor that is not quarantined";
}

TEST_F(SelfContradiction, ManyResultsDoNotFailJob) {
  Begin(3, Verified());
  ContradictItself(5);
  const rpc::Lease lease = LeaseTo(2);
  EXPECT_EQ(Announce(2, lease, 1), Verdict::kSend);
  core_.Stage(lease, 1, e_[1]);
  Announce(3, LeaseTo(3), 1);
  core_.RoundIsMerged(id_, 1);
  KeepAlive(std::chrono::minutes(1));
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_EQ(job().log.committed, 1);
}

// The result of e2 stays as evidence, so the dispute ends with the quarantine of e1.
TEST_F(SelfContradiction, SecondResultInDisputeQuarantines) {
  Begin(3, Verified());
  Disagree();
  Announce(1, {.unit = unit().id, .base_sha256 = job().names.state_sha256}, 9);
  EXPECT_THAT(core_.core().quarantined(), ElementsAre("e1"));
  EXPECT_FALSE(unit().disputed());
  const rpc::Lease lease = LeaseTo(3);
  EXPECT_EQ(Announce(3, lease, 8), Verdict::kSend);
  core_.Stage(lease, 8, e_[2]);
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(job().log.committed, 1);
  EXPECT_FALSE(core_.core().quarantined().contains("e2"));
}

TEST_F(SelfContradiction, AlsoQuarantinesDecider) {
  JobDefinition decided = Verified();
  decided.verify_executors = {"e1", "e3"};
  Begin(3, decided);
  ContradictItself(2);
  EXPECT_THAT(core_.core().quarantined(), ElementsAre("e1"));
  const rpc::Lease lease = LeaseTo(2);
  EXPECT_EQ(Announce(2, lease, 1), Verdict::kSend);
  core_.Stage(lease, 1, e_[1]);
  Announce(3, LeaseTo(3), 1);
  EXPECT_EQ(job().phase, Phase::kMerging);
}

// The session ends before the bytes arrive, and the unit is computed again.
TEST_F(SelfContradiction, SameResultAfterReturnIsNone) {
  Begin(2);
  Announce(1, LeaseTo(1), 7);
  e_[0] = core_.Register("e1", {.incarnation = 2});
  EXPECT_EQ(Announce(1, LeaseTo(1), 7), Verdict::kSend);
  EXPECT_TRUE(core_.core().quarantined().empty());
  e_[0] = core_.Register("e1", {.incarnation = 3});
  EXPECT_EQ(Announce(1, LeaseTo(1), 8), Verdict::kUnwanted);
  EXPECT_TRUE(core_.core().quarantined().contains("e1"));
}

// Only e1 gave the committed result, and announces another one afterwards.
TEST_F(SelfContradiction, LateResultRollsBackOwnRound) {
  Begin(3, Long());
  core_.CheckpointIsWritten(id_, 0);
  const rpc::Lease lease = LeaseTo(1);
  const rpc::AnnounceRequest late = core_.Announcement(e_[0], lease, 8);
  Announce(1, lease, 7);
  core_.Stage(lease, 7, e_[0]);
  core_.RoundIsMerged(id_, 1, State(1, 7));
  ASSERT_EQ(job().log.committed, 1);
  core_.Do(Asked<Announcement>{901, ParseAnnouncement(late)});
  EXPECT_THAT(core_.core().quarantined(), ElementsAre("e1"));
  EXPECT_EQ(job().log.committed, 0);
  core_.StateIsPrepared(id_, 0);
  Round(2, 1);
  EXPECT_EQ(job().log.committed, 1) << "no dispute is left";
}

TEST_F(SelfContradiction, LateResultOfUnverifiedJobRollsBackOwnRound) {
  JobDefinition unverified = OneWorker();
  unverified.epochs = 20;
  Begin(2, unverified);
  Round(2, 1);
  const rpc::Lease lease = LeaseTo(1);
  const rpc::AnnounceRequest late = core_.Announcement(e_[0], lease, 8);
  Announce(1, lease, 7);
  core_.Stage(lease, 7, e_[0]);
  core_.RoundIsMerged(id_, 2, State(2, 7));
  core_.Do(Asked<Announcement>{901, ParseAnnouncement(late)});
  EXPECT_TRUE(core_.core().quarantined().contains("e1"));
  EXPECT_EQ(job().log.committed, 1);
}

TEST_F(SelfContradiction, FailsJobIfNoOtherExecutorMayJoin) {
  core_.options().others_may_join = false;
  core_.Restart();
  Begin(1);
  ContradictItself(2);
  KeepAlive(std::chrono::seconds(25));
  EXPECT_EQ(state(), JobState::kWaiting) << "an executor may be starting again";
  KeepAlive(std::chrono::seconds(10));
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kDisagreement);
}

}  // namespace
}  // namespace dl::master
