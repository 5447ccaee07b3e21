// Executors whose processes end while they compute a unit.
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/one_unit.h"

namespace dl::master {
namespace {

using dl::test::IsError;
using rpc::Verdict;

// A unit that ends every process that computes it. The next process of each executor reports it.
class Crashes : public OneUnit {
 protected:
  // The executor registers again and reports that it crashed while it computed the leased unit.
  uint64_t ComeBack(const std::string& executor, uint64_t incarnation, const rpc::Lease& lease) {
    const bool known = lease.unit.job == id_;
    return core_.Register(
        executor,
        {.incarnation = incarnation,
         .crashed = {{.unit = lease.unit,
                      .spec_sha256 = lease.spec_sha256,
                      .signal = "SIGSEGV",
                      .lease = lease.lease,
                      .ticket = known ? core_.TicketOf(executor, lease) : lease.ticket}}});
  }
};

TEST_F(Crashes, CrashedUnitMovesToOtherExecutor) {
  Begin(3);
  const rpc::Lease lease = LeaseTo(1);
  e_[0] = ComeBack("e1", 2, lease);
  KeepAlive(std::chrono::seconds(1));
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty()) << "the others are only busy";
  // It may have crashed at the same unit in several processes, but counts as one executor.
  e_[0] = ComeBack("e1", 3, lease);
  e_[0] = ComeBack("e1", 4, lease);
  KeepAlive(std::chrono::seconds(1));
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_EQ(Announce(2, LeaseTo(2), 7), Verdict::kSend);
}

TEST_F(Crashes, ThreeCrashedExecutorsFailJob) {
  Begin(4);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(state(), JobState::kRunning);
    const rpc::Lease lease = LeaseTo(i);
    e_[static_cast<size_t>(i - 1)] = ComeBack("e" + std::to_string(i), 2, lease);
    KeepAlive(std::chrono::seconds(1));
  }
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kUnitFailed);
  EXPECT_THAT(core_.job(id_).record.error, IsError(absl::StatusCode::kInternal, "SIGSEGV"));
}

TEST_F(Crashes, TwoCrashesFailJobIfNoOtherExecutorExists) {
  Begin(1);
  const rpc::Lease lease = LeaseTo(1);
  ComeBack("e1", 2, lease);
  EXPECT_EQ(state(), JobState::kRunning);
  ComeBack("e1", 3, lease);
  EXPECT_EQ(state(), JobState::kFailed);
}

// Two executors, of which one crashes at the unit and the other hangs there. Neither error comes
// from all executors, so the job FAILS only when both have failed too often. The duration of its
// units is unknown, so each hang takes ten times `progress`.
TEST_F(Crashes, CrashAndStallOfBothExecutorsFailJob) {
  JobDefinition definition = OneWorker();
  definition.progress = std::chrono::seconds(20);
  Begin(2, definition);
  const rpc::Lease crashing = LeaseTo(1);
  for (uint64_t life = 2; life <= 4; ++life) e_[0] = ComeBack("e1", life, crashing);
  KeepAlive(std::chrono::seconds(1));
  for (uint64_t life = 1; life <= 3; ++life) {
    ASSERT_EQ(state(), JobState::kRunning) << life;
    const rpc::Lease lease = LeaseTo(2);
    const rpc::UnitProgress hung = {.unit = lease.unit,
                                    .lease = lease.lease,
                                    .steps_done = 1,
                                    .steps_total = 8,
                                    .computing = true};
    bool restart = false;
    for (int second = 0; second < 210; ++second) {
      core_.Wait(std::chrono::seconds(1));
      core_.Heartbeat(e_[0]);
      restart = core_.Heartbeat(e_[1], {hung}).restart;
    }
    EXPECT_TRUE(restart) << life;
    EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty()) << "it crashed there three times";
    e_[1] = core_.Register("e2", {.incarnation = life + 1});
  }
  EXPECT_TRUE(core_.LeaseUnits(e_[1]).empty()) << "it hung there three times";
  EXPECT_EQ(state(), JobState::kRunning);
  KeepAlive(core_.options().another_executor_wait + std::chrono::seconds(1));
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kUnitFailed);
}

TEST_F(Crashes, CrashesAtSeveralUnitsBackOffExecutor) {
  Begin(2, CoreHarness::Definition());
  rpc::Lease lease = LeaseTo(1);
  e_[0] = ComeBack("e1", 2, lease);
  KeepAlive(std::chrono::seconds(1));
  lease = LeaseTo(1);  // the other unit of the round
  e_[0] = ComeBack("e1", 3, lease);
  const std::string warnings = absl::StrJoin(core_.Warnings(), "\n");
  EXPECT_THAT(warnings, testing::HasSubstr("executor e1 is backed off"));
  const Json executor = core_.Query("cluster", "")["executors"].back();
  EXPECT_EQ(executor["executor"], "e1");
  EXPECT_TRUE(executor["backed_off"]);
  EXPECT_THAT(std::string(executor["backoff_reason"]), testing::HasSubstr("it failed at units"));
}

TEST_F(Crashes, CrashAtComputedUnitBacksOffExecutor) {
  JobDefinition two_rounds = OneWorker();
  two_rounds.epochs = 2;
  Begin(2, two_rounds);
  e_[0] = ComeBack("e1", 2, LeaseTo(1));
  KeepAlive(std::chrono::seconds(1));
  const rpc::Lease lease = LeaseTo(2);
  EXPECT_EQ(Announce(2, lease, 7), Verdict::kSend);
  core_.Stage(lease, 7, e_[1]);
  core_.RoundIsMerged(id_, 1);
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty()) << "the other one is asked first";
  EXPECT_EQ(core_.LeaseUnits(e_[1]).size(), 1u);
}

TEST_F(Crashes, RepeatedRegistrationCountsOnce) {
  Begin(1);
  const rpc::Lease lease = LeaseTo(1);
  for (int i = 0; i < 3; ++i) ComeBack("e1", 2, lease);
  EXPECT_EQ(state(), JobState::kRunning);
}

TEST_F(Crashes, CrashAtClosedUnitIsIgnored) {
  Begin(1);
  const rpc::Lease lease = LeaseTo(1);
  rpc::Lease other_round = lease, other_job = lease, other_spec = lease;
  ++other_round.unit.round;
  other_job.unit.job = "none-1";
  other_spec.spec_sha256 = "of another master";
  uint64_t incarnation = 1;
  for (int i = 0; i < 4; ++i) {
    ComeBack("e1", ++incarnation, other_round);
    ComeBack("e1", ++incarnation, other_job);
    ComeBack("e1", ++incarnation, other_spec);
  }
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_TRUE(core_.job(id_).units.at(lease.unit.index).errors.empty());
}

// A process is killed, for example by a memory limit, and nothing reports at which unit.
class Kills : public OneUnit {
 protected:
  // The executor leases a unit, if it gets one, is killed and starts again. Returns whether it got
  // one.
  bool IsKilledAtAUnit(const std::string& executor) {
    const auto leases = core_.LeaseUnits(e_[0]);
    e_[0] = core_.Register(executor, {.incarnation = ++incarnation_});
    return !leases.empty();
  }
  uint64_t incarnation_ = 1;
};

TEST_F(Kills, ThreeInARowExcludeExecutorWithReason) {
  Begin(1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(state(), JobState::kRunning);
    EXPECT_TRUE(IsKilledAtAUnit("e1"));
  }
  EXPECT_EQ(state(), JobState::kWaiting);
  EXPECT_EQ(reason(), Reason::kProcessKilled);
  EXPECT_THAT(core_.job(id_).record.message,
              testing::HasSubstr("e1 was killed 3 times in a row while it computed this job, "
                                 "probably by a memory limit"));
  EXPECT_EQ(core_.Query("job", id_)["killed"], (Json{{"e1", 3}}));
  EXPECT_FALSE(IsKilledAtAUnit("e1"));
  // After a pause it gets a unit again. The pauses grow.
  KeepAlive(std::chrono::seconds(10));
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_TRUE(IsKilledAtAUnit("e1"));
  KeepAlive(std::chrono::seconds(15));
  EXPECT_FALSE(IsKilledAtAUnit("e1"));
  KeepAlive(std::chrono::seconds(6));
  EXPECT_EQ(Announce(1, LeaseTo(1), 7), Verdict::kSend);
  EXPECT_EQ(core_.Query("job", id_).count("killed"), 0u) << "a result resets it";
}

TEST_F(Kills, UnitsWithoutLeaseDoNotCount) {
  Begin(2);
  const rpc::Lease other = LeaseTo(2);
  for (int i = 0; i < 10; ++i) {
    core_.Heartbeat(e_[0], {{.unit = other.unit, .lease = other.lease}});
    e_[0] = core_.Register("e1", {.incarnation = ++incarnation_});
    EXPECT_TRUE(core_.Warnings(id_).empty());
  }
  EXPECT_EQ(core_.Query("job", id_).count("killed"), 0u);
}

TEST_F(Kills, WarningsBecomeRare) {
  Begin(1);
  int warnings = 0;
  for (int kills = 0; kills < 12; KeepAlive(std::chrono::seconds(10))) {
    if (!IsKilledAtAUnit("e1")) continue;
    ++kills;
    for (const std::string& warning : core_.Warnings(id_))
      warnings += warning.find("it gets no units of the job for") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(warnings, 3) << "of 3, 6 and 12 kills";
}

// Executors with ever new names register, are killed once and do not return.
TEST_F(Kills, KillsOfAbsentExecutorsAreLimited) {
  Begin(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(IsKilledAtAUnit("e1"));
  for (int i = 0; i < 1100; ++i) {
    const std::string name = "new-" + std::to_string(i);
    const uint64_t first = core_.Register(name);
    EXPECT_EQ(core_.LeaseUnits(first).size(), 1u) << i;
    const uint64_t second = core_.Register(name, {.incarnation = 2});
    DL_ASSERT_OK(core_.Ask<std::monostate>(rpc::GoodbyeRequest{second}));
  }
  const auto& kills = core_.job(id_).kills;
  EXPECT_LE(kills.size(), 1026u);
  ASSERT_TRUE(kills.contains("e1")) << "it is registered";
  EXPECT_EQ(kills.at("e1").in_a_row, 3);
}

// As in local-cluster[N].
class KillsWhereNoOtherExecutorComes : public Kills {
 protected:
  void SetUp() override {
    core_.options().others_may_join = false;
    core_.options().memory_limit = "the memory limit of 500 MiB";
    core_.Restart();
  }
};

TEST_F(KillsWhereNoOtherExecutorComes, ThreeInARowFailJob) {
  Begin(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(IsKilledAtAUnit("e1"));
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kProcessKilled);
  EXPECT_THAT(std::string(core_.job(id_).record.error.message()),
              testing::HasSubstr("killed, probably by the memory limit of 500 MiB: process e1 was "
                                 "killed 3 times in a row"));
}

TEST_F(KillsWhereNoOtherExecutorComes, JobContinuesOnUnkilledExecutor) {
  Begin(2);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(IsKilledAtAUnit("e1"));
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_EQ(Announce(2, LeaseTo(2), 7), Verdict::kSend);
}

TEST_F(Kills, KilledExecutorLeavesUnitsToOthers) {
  Begin(2);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(IsKilledAtAUnit("e1"));
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_FALSE(IsKilledAtAUnit("e1"));
  EXPECT_EQ(Announce(2, LeaseTo(2), 7), Verdict::kSend);
}

// If a second result is needed, an executor that is held off is not waited for.
TEST_F(Kills, HolderConfirmsItsResultIfOtherIsKilled) {
  Begin(2, Verified());
  const rpc::Lease first = core_.LeaseUnits(e_[1]).at(0);
  EXPECT_EQ(Announce(2, first, 7), Verdict::kSend);
  core_.Stage(first, 7, e_[1]);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(core_.LeaseUnits(e_[1]).empty());
    EXPECT_TRUE(IsKilledAtAUnit("e1"));
  }
  Announce(2, LeaseTo(2), 7);
  EXPECT_EQ(core_.job(id_).phase, Phase::kMerging);
}

// Executor e1 is killed whenever it computes the unit, after longer and longer pauses.
class KillsBesideFailures : public Kills {
 protected:
  void LetE1BeKilled(Duration time) {
    for (Duration passed{}; passed < time; passed += std::chrono::seconds(1)) {
      IsKilledAtAUnit("e1");
      KeepAlive(std::chrono::seconds(1));
    }
  }
};

TEST_F(KillsBesideFailures, UnitWithoutAbleExecutorFailsJob) {
  Begin(2);
  for (int i = 0; i < 3; ++i) IsKilledAtAUnit("e1");
  for (int i = 0; i < 3; ++i) {
    DL_EXPECT_OK(core_.ReportFailure(e_[1], LeaseTo(2), "data_loss", /*not_finite=*/false,
                                     rpc::Fault::kExecutor));
    KeepAlive(std::chrono::seconds(1));
  }
  EXPECT_EQ(state(), JobState::kRunning);
  LetE1BeKilled(std::chrono::seconds(120));
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kUnitFailed);
  EXPECT_THAT(core_.job(id_).record.error, IsError(absl::StatusCode::kDataLoss, "layer 1"));
}

TEST_F(KillsBesideFailures, OneFailureDoesNotFailWaitingJob) {
  Begin(1);
  DL_EXPECT_OK(core_.ReportFailure(e_[0], LeaseTo(1), "data_loss"));
  KeepAlive(std::chrono::seconds(1));
  LetE1BeKilled(std::chrono::seconds(300));
  EXPECT_EQ(state(), JobState::kWaiting);
  EXPECT_EQ(reason(), Reason::kProcessKilled);
}

TEST_F(KillsBesideFailures, DisputeWithoutThirdExecutorFailsJob) {
  Begin(3, Verified());
  const rpc::Lease first = LeaseTo(2);
  EXPECT_EQ(Announce(2, first, 7), Verdict::kSend);
  core_.Stage(first, 7, e_[1]);
  EXPECT_EQ(Announce(3, LeaseTo(3), 8), Verdict::kUnwanted);
  LetE1BeKilled(std::chrono::seconds(120));
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kDisagreement);
}

// For example, an operator or a batch system kills processes.
TEST_F(Kills, ResultInBetweenResetsCount) {
  JobDefinition many_rounds = OneWorker();
  many_rounds.epochs = 10;
  Begin(1, many_rounds);
  for (int round = 1; round <= 10; ++round) {
    EXPECT_TRUE(IsKilledAtAUnit("e1"));
    EXPECT_TRUE(IsKilledAtAUnit("e1"));
    const rpc::Lease lease = LeaseTo(1);
    EXPECT_EQ(Announce(1, lease, 7), Verdict::kSend) << round;
    core_.Stage(lease, 7, e_[0]);
    core_.RoundIsMerged(id_, round);
  }
}

// Executor e1 is slow. Executor e2 finishes its units first, and e1's process is killed before a
// heartbeat shows that it dropped the unit.
class KillsOfASlowExecutor : public Kills {
 protected:
  void SetUp() override {
    JobDefinition many_rounds = OneWorker();
    many_rounds.epochs = 10;
    Begin(2, many_rounds);
  }
  void E2FinishesTheUnitOfE1(int64_t round) {
    unit_ = LeaseTo(1);
    KeepAlive(std::chrono::seconds(3));
    const rpc::Lease second = LeaseTo(2);
    EXPECT_EQ(Announce(2, second, 7), Verdict::kSend);
    core_.Stage(second, 7, e_[1]);
    core_.RoundIsMerged(id_, round);
    EXPECT_TRUE(core_.job(id_).units.at(0).leases.empty());
  }
  void E1IsKilled() { e_[0] = core_.Register("e1", {.incarnation = ++incarnation_}); }

  rpc::Lease unit_;
};

TEST_F(KillsOfASlowExecutor, KillAfterUnitWasFinishedCounts) {
  for (int round = 1; round <= 3; ++round) {
    E2FinishesTheUnitOfE1(round);
    if (round == 2) core_.Heartbeat(e_[0], {{.unit = unit_.unit, .lease = unit_.lease}});
    E1IsKilled();
  }
  EXPECT_EQ(core_.Query("job", id_)["killed"], (Json{{"e1", 3}}));
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty());
}

TEST_F(KillsOfASlowExecutor, KillAfterHeartbeatWithoutUnitDoesNotCount) {
  for (int round = 1; round <= 3; ++round) {
    E2FinishesTheUnitOfE1(round);
    core_.Heartbeat(e_[0]);
    E1IsKilled();
  }
  EXPECT_EQ(core_.Query("job", id_).count("killed"), 0u);
}

TEST_F(Kills, LostSessionAloneIsNoKill) {
  Begin(1);
  for (int i = 0; i < 5; ++i) {
    LeaseTo(1);
    e_[0] = core_.Register("e1", {.incarnation = 1});
  }
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_EQ(core_.LeaseUnits(e_[0]).size(), 1u);
}

}  // namespace
}  // namespace dl::master
