// Executors that come, are silent, go; and what they get to compute.
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using dl::test::IsError;
using rpc::Verdict;

TEST(Sessions, AnOlderIncarnationIsFenced) {
  CoreHarness core;
  const uint64_t second = core.Register("e1", {.incarnation = 2});
  EXPECT_NE(second, 0u);
  EXPECT_EQ(core.Register("e1", {.incarnation = 1}), 0u);
  EXPECT_THAT(core.EffectsOf<Answer>().at(0).status,
              IsError(absl::StatusCode::kAborted, "incarnation 2"));
  const uint64_t third = core.Register("e1", {.incarnation = 3});
  EXPECT_NE(third, 0u);
  core.Do(Asked<rpc::HeartbeatRequest>{77, {.session = second}});
  EXPECT_THAT(core.EffectsOf<Answer>().at(0).status,
              IsError(absl::StatusCode::kAborted, "Register again"));
}

TEST(Sessions, AClosedConnectionIsForgivenAtTheNextHeartbeat) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(CoreHarness::Definition());
  ASSERT_EQ(core.LeaseUnits(e1).size(), 1u);
  core.Do(SessionDisconnected{e1});
  EXPECT_TRUE(core.LeaseUnits(e1).empty());
  core.Wait(std::chrono::seconds(1));
  core.Heartbeat(e1);
  core.Wait(std::chrono::seconds(3));
  EXPECT_EQ(core.LeaseUnits(e1).size(), 1u);
  core.Do(SessionDisconnected{e1});
  core.Wait(std::chrono::milliseconds(1600));
  core.Do(Asked<rpc::HeartbeatRequest>{77, {.session = e1}});
  EXPECT_THAT(core.EffectsOf<Answer>().at(0).status, IsError(absl::StatusCode::kAborted, "over"));
}

TEST(Sessions, AHeartbeatDoesNotAbandonWhatIsBeingSent) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  core.RunningJob(CoreHarness::Definition());
  const rpc::Lease lease = core.LeaseUnits(e1).at(0);
  ASSERT_EQ(core.Announce(e1, lease, 7)->verdict, Verdict::kSend);
  EXPECT_TRUE(core.Heartbeat(e1, {{.unit = lease.unit, .lease = lease.lease}}).abandon.empty());
}

TEST(Sessions, AnAcceptedResultThatItsHolderDoesNotHaveIsTakenBack) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(CoreHarness::Definition());
  const rpc::Lease lease = core.LeaseUnits(e1).at(0);
  DL_EXPECT_OK(core.Announce(e1, lease, 7));
  core.Heartbeat(e1);  // may be older than the announcement
  EXPECT_TRUE(core.job(id).units.at(lease.unit.index).accepted);
  core.Wait(std::chrono::seconds(2));
  core.Heartbeat(e1);
  EXPECT_FALSE(core.job(id).units.at(lease.unit.index).accepted);
  EXPECT_EQ(core.EffectsOf<DropContribution>().size(), 1u);
}

TEST(Sessions, BytesOfALostSessionDoNotStandForANewOnes) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1"), e2 = core.Register("e2");
  const std::string id = core.RunningJob(CoreHarness::Definition());
  const rpc::Lease lease = core.LeaseUnits(e1).at(0);
  DL_EXPECT_OK(core.Announce(e1, lease, 7));
  core.Register("e1", {.incarnation = 2});
  DL_EXPECT_OK(core.Announce(e2, lease, 7));
  core.Stage(lease, 7, e1);  // it was on its way when e1 was lost
  EXPECT_FALSE(core.job(id).units.at(lease.unit.index).result.staged);
  core.Stage(lease, 7, e2);
  EXPECT_TRUE(core.job(id).units.at(lease.unit.index).result.staged);
}

TEST(Sessions, WhatIsHeldOfAnEndedJobMayGo) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(CoreHarness::Definition());
  core.CompleteRound(id, e1);
  EXPECT_EQ(core.Heartbeat(e1).committed, (std::vector<rpc::CommitNotice>{{id, 1}}));
  DL_ASSERT_OK(core.Act({.job = id, .action = rpc::JobAction::kCancel}));
  core.CheckpointIsWritten(id, 1);
  EXPECT_EQ(core.Heartbeat(e1).committed, (std::vector<rpc::CommitNotice>{{id, INT64_MAX}}));
  const uint64_t again = core.Register(
      "e1", {.incarnation = 2, .held_contributions = {{{id, UnitKind::kTrain, 1, 0}, 100}}});
  EXPECT_EQ(core.Heartbeat(again).committed, (std::vector<rpc::CommitNotice>{{id, INT64_MAX}}));
}

TEST(Leasing, AStragglerIsLeasedASecondTimeNeverAThird) {
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
  EXPECT_EQ(core.job(id).second_leases, 2);
  // The first result counts, the other one is told to stop.
  EXPECT_EQ(core.Announce(e2, first[0], 7)->verdict, Verdict::kSend);
  EXPECT_EQ(core.Heartbeat(e1).abandon, (std::vector<UnitId>{first[0].unit}));
  EXPECT_EQ(core.Announce(e1, first[0], 7)->verdict, Verdict::kUnwanted);
  EXPECT_EQ(core.job(id).duplicate_results, 1);
}

TEST(Leasing, ExecutorsOfAnotherKernelContractGetNothing) {
  CoreHarness core;
  core.Register("e1", {.contract = "c1", .isa = "avx512"});
  const uint64_t low = core.Register("e2", {.contract = "c0", .isa = "avx2"});
  const std::string id = core.RunningJob(CoreHarness::Definition());
  EXPECT_EQ(core.job(id).record.contract, "c0") << "the lowest level";
  const uint64_t high = core.Register("e3", {.contract = "c1", .isa = "avx512"});
  EXPECT_TRUE(core.LeaseUnits(high).empty());
  EXPECT_EQ(core.LeaseUnits(low).size(), 1u);
}

TEST(Leasing, AWorkerStaysWithItsExecutor) {
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

TEST(Leasing, AJobWaitsForExecutorsAndSaysSo) {
  CoreHarness core;
  const std::string id = *core.Submit(CoreHarness::Definition());
  EXPECT_EQ(core.job(id).record.reason, Reason::kWaitingForExecutors);
  core.Register("e1");
  EXPECT_EQ(core.job(id).record.state, JobState::kStarting);
  core.StateIsPrepared(id);
  core.Wait(std::chrono::seconds(11));  // e1 is silent
  EXPECT_EQ(core.job(id).record.state, JobState::kWaiting);
  core.Register("e2");
  EXPECT_EQ(core.job(id).record.state, JobState::kRunning);
}

}  // namespace
}  // namespace dl::master
