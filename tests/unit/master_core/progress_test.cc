// Executors that send heartbeats but deliver nothing.
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/one_unit.h"

namespace dl::master {
namespace {

using dl::test::IsError;
using rpc::Verdict;
using testing::HasSubstr;

class Progress : public OneUnit {
 protected:
  static JobDefinition Two() {
    JobDefinition definition = CoreHarness::Definition();
    definition.progress = std::chrono::seconds(20);
    definition.epochs = 30;
    return definition;
  }
  // Executors send heartbeats every second, with these units.
  void Heard(Duration time, const std::map<int, std::vector<rpc::UnitProgress>>& running) {
    for (Duration passed{}; passed < time; passed += std::chrono::seconds(1)) {
      core_.Wait(std::chrono::seconds(1));
      for (size_t i = 0; i < e_.size(); ++i) {
        const auto found = running.find(static_cast<int>(i) + 1);
        last_[static_cast<int>(i) + 1] = core_.Heartbeat(
            e_[i], found == running.end() ? std::vector<rpc::UnitProgress>{} : found->second);
      }
    }
  }
  static rpc::UnitProgress At(const rpc::Lease& lease, int64_t steps, int64_t bytes = 0) {
    return {.unit = lease.unit,
            .lease = lease.lease,
            .steps_done = steps,
            .steps_total = 8,
            .bytes_moved = bytes,
            .computing = true};
  }
  // A chunk of the first executor's result of the unit arrives, and more is expected.
  void Arrives(const rpc::Lease& lease, int64_t deliveries_without_progress) {
    core_.Do(BytesArrived{.unit = lease.unit,
                          .number = core_.job(id_).units.at(lease.unit.index).result.expected,
                          .session = e_[0],
                          .deliveries_without_progress = deliveries_without_progress});
  }
  std::map<int, rpc::HeartbeatReply> last_;
};

// Two executors in a row hold all units, send heartbeats, and make no steps.
TEST_F(Progress, StalledUnitsMoveToOthers) {
  Begin(4, Two());
  const auto first = core_.LeaseUnits(e_[0], 2);
  ASSERT_EQ(first.size(), 2u);
  core_.Wait(std::chrono::seconds(3));
  for (uint64_t session : e_) core_.Heartbeat(session);
  const auto second = core_.LeaseUnits(e_[1], 2);
  ASSERT_EQ(second.size(), 2u) << "stragglers";
  const std::map<int, std::vector<rpc::UnitProgress>> stuck = {
      {1, {At(first[0], 3), At(first[1], 3)}}, {2, {At(second[0], 2), At(second[1], 2)}}};
  Heard(std::chrono::seconds(10), stuck);
  EXPECT_TRUE(core_.LeaseUnits(e_[2], 2).empty()) << "both may still go on";
  Heard(std::chrono::seconds(20), stuck);
  const auto third = core_.LeaseUnits(e_[2], 2);
  ASSERT_EQ(third.size(), 2u);
  EXPECT_GE(core_.job(id_).counts.stalls, 4);
  for (const rpc::Lease& lease : third) {
    EXPECT_EQ(Announce(3, lease, 7 + static_cast<uint64_t>(lease.unit.index)), Verdict::kSend);
    core_.Stage(lease, 7 + static_cast<uint64_t>(lease.unit.index), e_[2]);
  }
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(core_.job(id_).log.committed, 1);
  EXPECT_TRUE(core_.LeaseUnits(e_[0], 2).empty()) << "others are asked first";
  EXPECT_EQ(core_.LeaseUnits(e_[3], 2).size(), 2u);
}

TEST_F(Progress, StepsAndBytesKeepLease) {
  Begin(2, Two());
  const rpc::Lease steps = core_.LeaseUnits(e_[0], 1).at(0);
  const rpc::Lease bytes = core_.LeaseUnits(e_[1], 1).at(0);
  for (int64_t i = 1; i <= 8; ++i) {
    Heard(std::chrono::seconds(15), {{1, {At(steps, i)}}, {2, {At(bytes, 0, i << 20)}}});
  }
  EXPECT_EQ(core_.job(id_).counts.stalls, 0);
  EXPECT_EQ(Announce(1, steps, 7), Verdict::kSend);
}

TEST_F(Progress, ResultWithoutBytesIsComputedElsewhere) {
  Begin(2, Two());
  const auto leases = core_.LeaseUnits(e_[0], 2);
  for (const rpc::Lease& lease : leases) {
    EXPECT_EQ(Announce(1, lease, 7), Verdict::kSend);
    core_.Wait(std::chrono::milliseconds(1));
  }
  const std::map<int, std::vector<rpc::UnitProgress>> sending = {
      {1, {At(leases[0], 8), At(leases[1], 8)}}};
  Heard(std::chrono::seconds(15), sending);
  EXPECT_TRUE(core_.LeaseUnits(e_[1], 2).empty());
  // Bytes of the second result arrive. Reports of the executor do not count as progress.
  Arrives(leases[1], 0);
  int64_t said = 0;
  for (int i = 0; i < 9; ++i) {
    said += 4 << 20;
    Heard(std::chrono::seconds(1), {{1, {At(leases[0], 8, said), At(leases[1], 8, said)}}});
  }
  const auto again = core_.LeaseUnits(e_[1], 2);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].unit, leases[0].unit);
  EXPECT_EQ(Announce(2, again[0], 7), Verdict::kSend);
}

TEST_F(Progress, RepeatedBytesAreNoProgress) {
  Begin(2, OneWorker());
  const rpc::Lease lease = LeaseTo(1);
  EXPECT_EQ(Announce(1, lease, 7), Verdict::kSend);
  for (int64_t deliveries_without_progress = 0; deliveries_without_progress < 5;
       ++deliveries_without_progress) {
    Arrives(lease, deliveries_without_progress);
    EXPECT_TRUE(core_.job(id_).units.at(0).accepted) << deliveries_without_progress;
  }
  Arrives(lease, 5);
  EXPECT_FALSE(core_.job(id_).units.at(0).accepted);
  const std::string warnings = absl::StrJoin(core_.Warnings(), "\n");
  EXPECT_THAT(warnings, HasSubstr("executor e1 is backed off"));
  EXPECT_THAT(warnings, HasSubstr("broke off 6 times and brought nothing new"));
  Heard(std::chrono::seconds(30), {});
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty()) << "while another executor exists";
  EXPECT_EQ(Announce(2, LeaseTo(2), 7), Verdict::kSend);
}

TEST_F(Progress, QueuedResultsStallOnlyWithFirst) {
  JobDefinition definition = Two();
  Begin(2, definition);
  const auto leases = core_.LeaseUnits(e_[0], 2);
  Announce(1, leases[0], 7);
  core_.Wait(std::chrono::milliseconds(1));
  Announce(1, leases[1], 8);
  const std::map<int, std::vector<rpc::UnitProgress>> sending = {
      {1, {At(leases[0], 8), At(leases[1], 8)}}};
  for (int i = 0; i < 3; ++i) {
    Heard(std::chrono::seconds(15), sending);
    Arrives(leases[0], 0);
  }
  EXPECT_EQ(core_.job(id_).counts.stalls, 0);
  core_.Stage(leases[0], 7, e_[0]);
  // Bytes of a later result do not count for an earlier one.
  Heard(std::chrono::seconds(15), sending);
  EXPECT_EQ(core_.job(id_).counts.stalls, 0);
  Heard(std::chrono::seconds(6), sending);
  EXPECT_EQ(core_.job(id_).counts.stalls, 1);
}

// Units are computed but never announced, because the calls hang. Each costs the straggler's pause.
TEST_F(Progress, RepeatedlyOvertakenExecutorIsAskedLast) {
  Begin(2, Two());
  int rounds_with_it = 0;
  for (int round = 0; round < 10; ++round) {
    std::vector<rpc::Lease> its = core_.LeaseUnits(e_[0], 1);
    std::vector<rpc::Lease> others = core_.LeaseUnits(e_[1], 2);
    if (!its.empty()) {
      ++rounds_with_it;
      ASSERT_EQ(others.size(), 1u);
      Announce(2, others[0], 7);
      core_.Stage(others[0], 7, e_[1]);
      others.clear();
      Heard(std::chrono::seconds(3), {{1, {At(its[0], 8)}}});
      for (const rpc::Lease& lease : core_.LeaseUnits(e_[1], 2)) others.push_back(lease);
    }
    ASSERT_EQ(others.size(), its.empty() ? 2u : 1u) << "round " << round;
    for (const rpc::Lease& lease : others) {
      Announce(2, lease, 7);
      core_.Stage(lease, 7, e_[1]);
    }
    core_.RoundIsMerged(id_, round + 1);
  }
  EXPECT_EQ(core_.job(id_).log.committed, 10);
  EXPECT_EQ(rounds_with_it, 3);
  // After the pause it gets work again. A delivery ends its backoff.
  Heard(std::chrono::seconds(12), {});
  const std::vector<rpc::Lease> back = core_.LeaseUnits(e_[0], 1);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(Announce(1, back[0], 7), Verdict::kSend);
}

TEST_F(Progress, OnlyExecutorRestartsAndThirdStallIsPoison) {
  JobDefinition definition = OneWorker();
  definition.progress = std::chrono::seconds(20);
  Begin(1, definition);
  for (uint64_t life = 1; life <= 3; ++life) {
    ASSERT_EQ(state(), JobState::kRunning);
    const rpc::Lease lease = LeaseTo(1);
    Heard(std::chrono::seconds(100), {{1, {At(lease, 1)}}});
    EXPECT_FALSE(last_[1].restart) << "how long its units take is not known yet";
    Heard(std::chrono::seconds(110), {{1, {At(lease, 1)}}});
    if (life == 3) break;
    EXPECT_TRUE(last_[1].restart);
    EXPECT_THAT(last_[1].restart_reason, HasSubstr("has made no progress for "));
    EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty());
    e_[0] = core_.Register("e1", {.incarnation = life + 1});
  }
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kUnitFailed);
  EXPECT_THAT(core_.job(id_).record.error,
              IsError(absl::StatusCode::kDeadlineExceeded, "makes no progress on any executor"));
}

// Some heartbeats are late, so its lease expires. It continues under the next lease.
TEST_F(Progress, HangingExecutorIsRestarted) {
  JobDefinition definition = OneWorker();
  definition.progress = std::chrono::seconds(20);
  definition.lease = std::chrono::seconds(3);
  Begin(1, definition);
  for (int i = 0; i < 10 && !last_[1].restart; ++i) {
    const rpc::Lease lease = LeaseTo(1);
    Heard(std::chrono::seconds(40), {{1, {At(lease, 1)}}});
    core_.Wait(std::chrono::seconds(5));
  }
  EXPECT_TRUE(last_[1].restart);
}

TEST_F(Progress, NewLeaseHasItsOwnTime) {
  JobDefinition definition = OneWorker();
  definition.progress = std::chrono::seconds(20);
  definition.lease = std::chrono::seconds(3);
  Begin(1, definition);
  const rpc::Lease first = LeaseTo(1);
  Heard(std::chrono::seconds(190), {{1, {At(first, 5)}}});
  core_.Wait(std::chrono::seconds(5));
  const rpc::Lease second = LeaseTo(1);
  Heard(std::chrono::seconds(100), {{1, {At(second, 1)}}});
  EXPECT_FALSE(last_[1].restart);
}

TEST_F(Progress, HangingUnitMovesToOtherExecutor) {
  JobDefinition definition = OneWorker();
  definition.progress = std::chrono::seconds(20);
  Begin(2, definition);
  rpc::Lease lease = LeaseTo(1);
  for (uint64_t life = 2; life <= 4; ++life) {
    Heard(std::chrono::seconds(210), {{1, {At(lease, 1)}}});
    EXPECT_TRUE(last_[1].restart) << life;
    e_[0] = core_.Register("e1", {.incarnation = life});
    const auto again = core_.LeaseUnits(e_[0]);
    EXPECT_TRUE(again.empty()) << "the other one is only busy";
    if (again.empty()) break;
    lease = again[0];
  }
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_EQ(Announce(2, LeaseTo(2), 7), Verdict::kSend);
}

// The network loses large packets, so nothing arrives from any process of any executor. The unit is
// not at fault.
TEST_F(Progress, StallOfNetworkIsNotPoison) {
  JobDefinition definition = OneWorker();
  definition.progress = std::chrono::seconds(20);
  Begin(1, definition);
  for (uint64_t life = 1; life <= 5; ++life) {
    rpc::UnitProgress waits = At(LeaseTo(1), life % 2 == 0 ? 8 : 0);
    waits.computing = false;  // it has not received its base state, or cannot announce
    Heard(std::chrono::seconds(210), {{1, {waits}}});
    ASSERT_EQ(state(), JobState::kRunning);
    EXPECT_TRUE(last_[1].restart);
    e_[0] = core_.Register("e1", {.incarnation = life + 1});
  }
  const rpc::Lease lease = LeaseTo(1);
  EXPECT_EQ(Announce(1, lease, 7), Verdict::kSend);
}

TEST_F(Progress, StepsBeyondUnitAreNoProgress) {
  JobDefinition definition = OneWorker();
  definition.progress = std::chrono::seconds(20);
  Begin(2, definition);
  const rpc::Lease lease = LeaseTo(1);
  for (int64_t steps = 8; steps < 40; ++steps)
    Heard(std::chrono::seconds(1), {{1, {At(lease, steps)}}});
  EXPECT_EQ(core_.job(id_).counts.stalls, 1);
}

TEST_F(Progress, MeasuredUnitsDetectStallSooner) {
  JobDefinition definition = OneWorker();
  definition.progress = std::chrono::seconds(20);
  Begin(1, definition);
  const rpc::Lease quick = LeaseTo(1);
  core_.Wait(std::chrono::seconds(1));
  Announce(1, quick, 7);
  core_.Stage(quick, 7, e_[0]);
  core_.RoundIsMerged(id_, 1);
  const rpc::Lease lease = LeaseTo(1);
  Heard(std::chrono::seconds(15), {{1, {At(lease, 1)}}});
  EXPECT_FALSE(last_[1].restart);
  Heard(std::chrono::seconds(10), {{1, {At(lease, 1)}}});
  EXPECT_TRUE(last_[1].restart);
}

TEST_F(Progress, HangingExecutorDoesNotBlockVerification) {
  JobDefinition definition = Verified();
  definition.progress = std::chrono::seconds(20);
  Begin(5, definition);
  Disagree();
  const rpc::Lease third = LeaseTo(3);
  Heard(std::chrono::seconds(3), {{3, {At(third, 1)}}});
  const rpc::Lease fourth = LeaseTo(4);
  const std::map<int, std::vector<rpc::UnitProgress>> hung = {{3, {At(third, 1)}},
                                                              {4, {At(fourth, 1)}}};
  Heard(std::chrono::seconds(15), hung);
  EXPECT_TRUE(core_.LeaseUnits(e_[4]).empty());
  Heard(std::chrono::seconds(8), hung);
  EXPECT_EQ(Announce(5, LeaseTo(5), 8), Verdict::kSend);
  EXPECT_TRUE(core_.core().quarantined().contains("e1"));
}

TEST_F(Progress, HolderRepeatsHangingVerification) {
  JobDefinition definition = Verified();
  definition.progress = std::chrono::seconds(20);
  Begin(2, definition);
  const rpc::Lease first = LeaseTo(1);
  EXPECT_EQ(Announce(1, first, 7), Verdict::kSend);
  core_.Stage(first, 7, e_[0]);
  const rpc::Lease hung = LeaseTo(2);
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty());
  Heard(std::chrono::seconds(25), {{2, {At(hung, 1)}}});
  Announce(1, LeaseTo(1), 7);
  EXPECT_EQ(core_.job(id_).phase, Phase::kMerging);
}

// As after a restart of the master: the executor computes a unit for which no lease exists.
TEST_F(Progress, MovingUnitWithoutLeaseIsAccepted) {
  JobDefinition definition = OneWorker();
  definition.progress = std::chrono::seconds(20);
  Begin(1, definition);
  const rpc::Lease lease = LeaseTo(1);
  e_[0] = core_.Register("e1");
  for (int64_t steps = 1; steps <= 8; ++steps) {
    Heard(std::chrono::seconds(15), {{1, {At(lease, steps)}}});
    EXPECT_TRUE(last_[1].abandon.empty()) << steps;
  }
  Heard(std::chrono::seconds(10), {{1, {At(lease, 8)}}});
  EXPECT_EQ(last_[1].abandon, std::vector<UnitId>{lease.unit});
}

// The only executor of local[N] cannot restart.
class ProgressInOneProcess : public testing::Test {
 protected:
  ProgressInOneProcess() {
    JobDefinition definition = OneWorker();
    definition.progress = std::chrono::seconds(20);
    session_ = core_.Register("local");
    id_ = core_.RunningJob(definition);
    lease_ = core_.LeaseUnits(session_).at(0);
  }
  // The unit makes no progress for 210 s, either in the kernels or waiting for data.
  void StandStill(bool computing) {
    for (int second = 0; second < 210; ++second) {
      core_.Wait(std::chrono::seconds(1));
      core_.Heartbeat(session_, {{.unit = lease_.unit,
                                  .lease = lease_.lease,
                                  .steps_done = 1,
                                  .steps_total = 8,
                                  .computing = computing}});
    }
  }

  CoreHarness core_{{.executors_can_restart = false}};
  uint64_t session_ = 0;
  std::string id_;
  rpc::Lease lease_;
};

TEST_F(ProgressInOneProcess, StalledUnitFailsJob) {
  StandStill(/*computing=*/true);
  EXPECT_EQ(core_.job(id_).record.state, JobState::kFailed);
  EXPECT_EQ(core_.job(id_).record.reason, Reason::kUnitFailed);
}

TEST_F(ProgressInOneProcess, LateDataGivesNextUnit) {
  StandStill(/*computing=*/false);
  EXPECT_EQ(core_.job(id_).record.state, JobState::kRunning);
  DL_EXPECT_OK(core_.Announce(session_, lease_, 7));
  core_.Stage(lease_, 7, session_);
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(core_.LeaseUnits(session_).size(), 1u);
}

}  // namespace
}  // namespace dl::master
