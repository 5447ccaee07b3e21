// Units with two different results, and how the dispute is resolved.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/one_unit.h"

namespace dl::master {
namespace {

using dl::test::IsError;
using rpc::Verdict;

class Disputes : public OneUnit {};

TEST_F(Disputes, NoThirdExecutorFailsJobWithRound) {
  Begin(2, Verified());
  Disagree();
  KeepAlive(std::chrono::seconds(25));
  EXPECT_EQ(state(), JobState::kRunning);
  KeepAlive(std::chrono::seconds(10));
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kDisagreement);
  EXPECT_THAT(core_.job(id_).record.error, IsError(absl::StatusCode::kDataLoss, "round 1"));
}

TEST_F(Disputes, ThirdExecutorQuarantinesWrongOne) {
  Begin(3, Verified());
  Disagree();
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty()) << "who has a result has no vote to add";
  const rpc::Lease third = LeaseTo(3);
  EXPECT_EQ(Announce(3, third, 8), Verdict::kSend) << "the majority's bytes are wanted now";
  EXPECT_TRUE(core_.core().quarantined().contains("e1"));
  EXPECT_EQ(core_.EffectsOf<DropContribution>().size(), 1u);
  core_.Stage(third, 8, e_[2]);
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(core_.job(id_).log.committed, 1);
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty()) << "no work for e1";
  EXPECT_EQ(core_.LeaseUnits(e_[1]).size(), 1u);
}

TEST_F(Disputes, HolderSendsBytesDuringDispute) {
  Begin(3, Verified());
  Disagree();
  // The answer to the first announcement was lost. The repeated one must keep a result that may be
  // right.
  EXPECT_EQ(Announce(1,
                     {.unit = {id_, UnitKind::kTrain, 1, 0},
                      .lease = 0,
                      .base_sha256 = core_.job(id_).names.state_sha256},
                     7),
            Verdict::kSend);
  Announce(3, LeaseTo(3), 7);
  EXPECT_TRUE(core_.core().quarantined().contains("e2"));
  core_.Stage({.unit = {id_, UnitKind::kTrain, 1, 0}}, 7, e_[0]);
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(core_.job(id_).log.committed, 1);
}

TEST_F(Disputes, FourDifferentResultsNeedFifthExecutor) {
  Begin(5, Verified());
  Disagree();
  Announce(3, LeaseTo(3), 9);
  EXPECT_EQ(core_.core().quarantined().size(), 0u) << "three words, no majority";
  Announce(4, LeaseTo(4), 8);
  EXPECT_EQ(core_.core().quarantined().size(), 0u) << "two of four are not more than half";
  Announce(5, LeaseTo(5), 8);
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e1", "e3"}));
}

TEST_F(Disputes, BusyThirdExecutorIsWaitedFor) {
  JobDefinition two = Verified();
  two.plan = {.examples = 4, .workers = 2, .batch_size = 2, .averaging_frequency = 1};
  Begin(3, two);
  const rpc::Lease other = core_.LeaseUnits(e_[2], 1).at(0);  // e3 is busy for a minute
  const rpc::Lease first = LeaseTo(1);
  Announce(1, first, 7);
  Announce(2, LeaseTo(2), 8);
  for (int i = 0; i < 60; ++i) {
    core_.Wait(std::chrono::seconds(1));
    core_.Heartbeat(e_[0]);
    core_.Heartbeat(e_[1]);
    core_.Heartbeat(e_[2], {{.unit = other.unit, .lease = other.lease}});
  }
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_LE(core_.now, core_.core().NextDeadline());
}

TEST_F(Disputes, OtherResultsOfWrongExecutorAreRecomputed) {
  JobDefinition two = OneWorker();
  two.plan = {.examples = 4, .workers = 2, .batch_size = 2, .averaging_frequency = 1};
  Begin(3, two);
  const auto both = core_.LeaseUnits(e_[0], 2);
  ASSERT_EQ(both.size(), 2u);
  Announce(1, both[0], 1);
  core_.Stage(both[0], 1, e_[0]);
  Announce(1, both[1], 2);
  // Late results of the second unit prove e1 wrong. They need no lease.
  Announce(2, {.unit = both[1].unit, .base_sha256 = both[1].base_sha256}, 3);
  Announce(3, {.unit = both[1].unit, .base_sha256 = both[1].base_sha256}, 3);
  EXPECT_TRUE(core_.core().quarantined().contains("e1"));
  EXPECT_FALSE(core_.job(id_).units.at(both[0].unit.index).accepted);
}

TEST_F(Disputes, QuarantineSurvivesRestart) {
  Begin(3, Verified());
  Disagree();
  EXPECT_EQ(Announce(3, LeaseTo(3), 8), Verdict::kSend);
  ASSERT_TRUE(core_.core().quarantined().contains("e1"));
  core_.Restart();
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e1"}));
  core_.StateIsPrepared(id_, 0);
  EXPECT_TRUE(core_.LeaseUnits(core_.Register("e1", {.incarnation = 2})).empty());
  EXPECT_FALSE(core_.LeaseUnits(core_.Register("e2", {.incarnation = 2})).empty());
}

TEST_F(Disputes, LateResultIsComparedWithCommit) {
  Begin(2);
  const rpc::Lease late = LeaseTo(1);
  const auto announcement = [&](uint64_t bits) { return core_.Announcement(e_[0], late, bits); };
  const rpc::AnnounceRequest same = announcement(100), other = announcement(101);
  core_.Wait(std::chrono::milliseconds(2100));
  core_.CompleteRound(id_, e_[1]);
  core_.Do(Asked<Announcement>{901, ParseAnnouncement(same)});
  EXPECT_EQ(core_.job(id_).counts.duplicate_results, 1);
  EXPECT_TRUE(core_.EffectsOf<Emit>().empty());
  core_.Do(Asked<Announcement>{902, ParseAnnouncement(other)});
  EXPECT_EQ(core_.job(id_).counts.duplicate_results, 1);
  const auto warnings = core_.Warnings();
  ASSERT_GE(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], testing::HasSubstr("differs"));
}

TEST_F(Disputes, QuarantinedExecutorIsNotCountedAtSubmission) {
  const auto counted = [&](const std::string& request) {
    core_.Do(Asked<Submission>{
        500, {.request_id = request, .definition = CoreHarness::Definition(), .spec = "{}"}});
    const auto answers = core_.EffectsOf<Answer>();
    return answers.size() == 1 ? std::get<rpc::SubmitReply>(answers[0].reply).executors : -1;
  };
  Begin(3, Verified());
  EXPECT_EQ(counted("before"), 3);
  Disagree();
  Announce(3, LeaseTo(3), 8);
  ASSERT_TRUE(core_.core().quarantined().contains("e1"));
  EXPECT_EQ(counted("afterwards"), 2);
}

// A quarantine in one job resolves the disputes in which the executor takes part in other jobs.
TEST_F(Disputes, QuarantineSettlesDisputesOfOtherJobs) {
  Begin(3);
  const std::string other = core_.RunningJob(OneWorker());
  const auto first = core_.LeaseUnits(e_[0], 2);
  ASSERT_EQ(first.size(), 2u);
  for (int second = 0; second < 3; ++second) {  // e1 is slow
    core_.Wait(std::chrono::seconds(1));
    core_.Heartbeat(e_[0], {{.unit = first[0].unit, .lease = first[0].lease},
                            {.unit = first[1].unit, .lease = first[1].lease}});
    for (const uint64_t session : {e_[1], e_[2]}) core_.Heartbeat(session);
  }
  const auto second = core_.LeaseUnits(e_[1], 2);
  ASSERT_EQ(second.size(), 2u);
  for (const rpc::Lease& lease : first) EXPECT_EQ(Announce(1, lease, 7), Verdict::kSend);
  for (const rpc::Lease& lease : second) EXPECT_EQ(Announce(2, lease, 8), Verdict::kUnwanted);
  for (const rpc::Lease& lease : first) core_.Stage(lease, 7, e_[0]);
  ASSERT_TRUE(core_.job(id_).units.at(0).disputed());
  ASSERT_TRUE(core_.job(other).units.at(0).disputed());
  Announce(3, LeaseTo(3), 7);
  EXPECT_TRUE(core_.core().quarantined().contains("e2"));
  EXPECT_EQ(core_.job(id_).phase, Phase::kMerging);
  EXPECT_EQ(core_.job(other).phase, Phase::kMerging);
}

}  // namespace
}  // namespace dl::master
