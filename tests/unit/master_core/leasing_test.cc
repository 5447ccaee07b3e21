// Leases: which executor computes which unit, for how long, and which unit is next.
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using dl::test::IsError;
using rpc::Verdict;

TEST(Leasing, StragglerIsLeasedAtMostTwice) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1"), e2 = core.Register("e2"), e3 = core.Register("e3");
  const std::string id = core.RunningJob(CoreHarness::Definition());
  const auto first = core.LeaseUnits(e1, 8);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_TRUE(core.LeaseUnits(e2, 8).empty());
  core.Wait(std::chrono::milliseconds(2100));
  EXPECT_TRUE(core.LeaseUnits(e1, 8).empty()) << "not to the one who is slow";
  EXPECT_EQ(core.LeaseUnits(e2, 8).size(), 2u);
  EXPECT_TRUE(core.LeaseUnits(e3, 8).empty());
  EXPECT_EQ(core.job(id).counts.second_leases, 2);
  // The first result counts. The other executor is told to abandon the unit.
  EXPECT_EQ(core.Announce(e2, first[0], 7)->verdict, Verdict::kSend);
  EXPECT_EQ(core.Heartbeat(e1, {{.unit = first[0].unit, .lease = first[0].lease},
                                {.unit = first[1].unit, .lease = first[1].lease}})
                .abandon,
            (std::vector<UnitId>{first[0].unit}));
  EXPECT_EQ(core.Announce(e1, first[0], 7)->verdict, Verdict::kUnwanted);
  EXPECT_EQ(core.job(id).counts.duplicate_results, 1);
}

TEST(Leasing, OtherKernelContractGetsNoUnits) {
  CoreHarness core;
  core.Register("e1", {.contracts = {{"c1", "avx512"}}});
  const uint64_t low = core.Register("e2", {.contracts = {{"c0", "avx2"}}});
  const std::string id = core.RunningJob(CoreHarness::Definition());
  EXPECT_EQ(core.job(id).record.contract, "c0") << "the lowest level";
  const uint64_t high = core.Register("e3", {.contracts = {{"c1", "avx512"}}});
  EXPECT_TRUE(core.LeaseUnits(high).empty());
  EXPECT_EQ(core.LeaseUnits(low).size(), 1u);
}

TEST(Leasing, WorkerStaysWithExecutor) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1"), e2 = core.Register("e2");
  const std::string id = core.RunningJob(CoreHarness::Definition());
  int32_t of_e1 = -1;
  for (int64_t round = 1; round <= 2; ++round) {
    const rpc::Lease a = core.LeaseUnits(round == 1 ? e1 : e2).at(0);
    const rpc::Lease b = core.LeaseUnits(round == 1 ? e2 : e1).at(0);
    if (round == 1) of_e1 = a.unit.index;
    if (round == 2) {
      EXPECT_EQ(b.unit.index, of_e1);
    }
    DL_EXPECT_OK(core.Announce(e1, a, 1));
    core.Stage(a, 1, e1);
    DL_EXPECT_OK(core.Announce(e2, b, 2));
    core.Stage(b, 2, e2);
    core.RoundIsMerged(id, round);
  }
}

TEST(Leasing, JobWithoutExecutorsReportsWaiting) {
  CoreHarness core;
  const std::string id = *core.Submit(CoreHarness::Definition());
  EXPECT_EQ(core.job(id).record.reason, Reason::kWaitingForExecutors);
  core.Register("e1");
  EXPECT_EQ(core.job(id).record.state, JobState::kStarting);
  core.StateIsPrepared(id);
  core.Wait(std::chrono::seconds(11));  // e1 sends no heartbeats
  EXPECT_EQ(core.job(id).record.state, JobState::kWaiting);
  core.Register("e2");
  EXPECT_EQ(core.job(id).record.state, JobState::kRunning);
}

// The second slot becomes free while the request for the first one waits. The answer has leases for
// both.
TEST(Leasing, WaitingRequestCoversAllFreeSlots) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1", {.slots = 2});
  const std::string id = core.RunningJob(CoreHarness::Definition());
  const auto first = core.LeaseUnits(e1, 2);
  ASSERT_EQ(first.size(), 2u);
  const uint64_t parked = core.Park(e1, 1);
  for (const int32_t index : {0, 1}) {
    rpc::AnnounceRequest said = core.Announcement(e1, first[index], 7);
    said.free_slots = 2 - index;  // fewer than before is ignored, because the request is newer
    core.Do(Asked<Announcement>{1000, ParseAnnouncement(said)});
    core.Stage(first[index], 7, e1);
  }
  core.RoundIsMerged(id, 1);
  EXPECT_EQ(core.LeasesOf(parked).size(), 2u);
}

TEST(Leasing, HintNamesNextUnitOfSlot) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1", {.slots = 2});
  JobDefinition definition = CoreHarness::Definition();
  definition.plan = {.examples = 8, .workers = 4, .batch_size = 2, .averaging_frequency = 1};
  definition.example_hash_sum = 8;
  const std::string id = core.RunningJob(definition);
  // Two slots and four workers: 0 and 1, then 2 and 3, then 0 and 1 of the next round.
  const auto first = core.LeaseUnits(e1, 2);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].hint, (UnitId{id, UnitKind::kTrain, 1, 2}));
  EXPECT_EQ(first[1].hint, (UnitId{id, UnitKind::kTrain, 1, 3}));
  const auto second = core.LeaseUnits(e1, 2);
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(second[0].hint, (UnitId{id, UnitKind::kTrain, 2, 0}));
  EXPECT_EQ(second[1].hint, (UnitId{id, UnitKind::kTrain, 2, 1}));
}

TEST(Leasing, LastRoundHasNoHint) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  JobDefinition definition = CoreHarness::Definition();
  definition.epochs = 1;
  core.RunningJob(definition);
  for (const rpc::Lease& lease : core.LeaseUnits(e1, 8)) EXPECT_FALSE(lease.has_hint);
}

TEST(Leasing, UndeliveredResultIsRecomputedAfterLease) {
  CoreHarness core({.session_timeout = std::chrono::seconds(60)});
  JobDefinition definition = CoreHarness::Definition();
  definition.lease = std::chrono::seconds(3);
  const uint64_t e1 = core.Register("e1"), e2 = core.Register("e2");
  const std::string id = core.RunningJob(definition);
  const rpc::Lease lease = core.LeaseUnits(e1).at(0);
  ASSERT_EQ(core.Announce(e1, lease, 7)->verdict, Verdict::kSend);
  // Heartbeats report that the executor is sending the result, so the delivery may take longer.
  core.Wait(std::chrono::seconds(2));
  core.Heartbeat(e1, {{.unit = lease.unit, .lease = lease.lease}});
  core.Wait(std::chrono::milliseconds(2900));
  EXPECT_TRUE(core.job(id).units.at(lease.unit.index).accepted);
  // The executor no longer reports the unit, though its session continues.
  core.Wait(std::chrono::milliseconds(200));
  EXPECT_EQ(core.EffectsOf<DropContribution>().size(), 1u);
  EXPECT_EQ(core.job(id).counts.expired_leases, 1);
  core.LeaseUnits(e2, 8);
  EXPECT_EQ(core.Announce(e2, lease, 7)->verdict, Verdict::kSend);
  core.Stage(lease, 7, e2);
  EXPECT_TRUE(core.job(id).units.at(lease.unit.index).Settled());
}

TEST(Leasing, SilentExecutorKeepsUnitsForTheirLease) {
  CoreHarness core({.session_timeout = std::chrono::seconds(10)});
  JobDefinition definition = CoreHarness::Definition();
  definition.lease = std::chrono::seconds(60);
  const uint64_t e1 = core.Register("e1"), idle = core.Register("e2");
  const std::string id = core.RunningJob(definition);
  const rpc::Lease lease = core.LeaseUnits(e1).at(0);
  core.Wait(std::chrono::seconds(1));
  core.Heartbeat(e1, {{.unit = lease.unit, .lease = lease.lease}});
  core.Wait(std::chrono::seconds(59));
  EXPECT_EQ(core.job(id).units.at(lease.unit.index).leases.size(), 1u);
  EXPECT_EQ(core.job(id).counts.expired_leases, 0);
  EXPECT_EQ(core.core().sessions().count(e1), 1u);
  EXPECT_EQ(core.core().sessions().count(idle), 0u) << "it has no unit of the job";
  core.Wait(std::chrono::seconds(1));
  EXPECT_EQ(core.core().sessions().count(e1), 0u);
  EXPECT_EQ(core.job(id).counts.expired_leases, 1);
  EXPECT_TRUE(core.job(id).units.at(lease.unit.index).leases.empty());
}

// When a round is computed again after a restart, the holder of a contribution gets the unit first
// and computes nothing (see the tests of executor/core).
TEST(Leasing, ReplayedUnitGoesToHolderOfContribution) {
  CoreHarness core;
  const uint64_t before = core.Register("e1");
  const std::string id = core.RunningJob(CoreHarness::Definition());
  core.CompleteRound(id, before);
  core.Restart();
  core.StateIsPrepared(id, 0);
  const uint64_t e1 = core.Register(
      "e1", {.incarnation = 2, .held_contributions = {{{id, UnitKind::kTrain, 1, 1}, 101}}});
  const uint64_t e2 = core.Register(
      "e2", {.incarnation = 2, .held_contributions = {{{id, UnitKind::kTrain, 1, 0}, 100}}});
  core.Wait(std::chrono::seconds(1));
  ASSERT_TRUE(core.job(id).replaying());
  EXPECT_EQ(core.LeaseUnits(e1).at(0).unit.index, 1);
  EXPECT_EQ(core.LeaseUnits(e2).at(0).unit.index, 0);
}

}  // namespace
}  // namespace dl::master
