// Units that fail, units with two results, and who is believed.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using dl::test::IsError;
using rpc::Verdict;

JobDefinition OneWorker() {
  JobDefinition definition = CoreHarness::Definition();
  definition.plan.workers = 1;
  definition.plan.batch_size = 4;
  return definition;
}

class Disputes : public testing::Test {
 protected:
  // `n` executors, a job of one worker whose only unit has been leased to the first of them.
  void Begin(int n, JobDefinition definition = OneWorker()) {
    for (int i = 1; i <= n; ++i) e_.push_back(core_.Register("e" + std::to_string(i)));
    id_ = core_.RunningJob(std::move(definition));
  }
  rpc::Lease LeaseTo(int executor) {
    auto leases = core_.LeaseUnits(e_[static_cast<size_t>(executor - 1)]);
    EXPECT_EQ(leases.size(), 1u) << "executor " << executor;
    return leases.empty() ? rpc::Lease{} : leases[0];
  }
  Verdict Announce(int executor, const rpc::Lease& lease, uint64_t bits) {
    auto reply = core_.Announce(e_[static_cast<size_t>(executor - 1)], lease, bits);
    EXPECT_TRUE(reply.ok());
    return reply.ok() ? reply->verdict : Verdict::kUnwanted;
  }
  JobState state() const { return core_.job(id_).record.state; }
  Reason reason() const { return core_.job(id_).record.reason; }
  // A unit that wants two results: two executors disagree about it.
  void Disagree() {
    const rpc::Lease first = LeaseTo(1);
    EXPECT_EQ(Announce(1, first, 7), Verdict::kSend);
    const rpc::Lease second = LeaseTo(2);
    EXPECT_EQ(Announce(2, second, 8), Verdict::kUnwanted);
  }
  static JobDefinition Verified() {
    JobDefinition definition = OneWorker();
    definition.verify_fraction = 1;
    return definition;
  }
  void KeepAlive(Duration time) {
    for (Duration passed{}; passed < time; passed += std::chrono::seconds(1)) {
      core_.Wait(std::chrono::seconds(1));
      for (uint64_t session : e_) core_.Heartbeat(session);
    }
  }

  CoreHarness core_;
  std::vector<uint64_t> e_;
  std::string id_;
};

TEST_F(Disputes, TwoExecutorsWithoutAThirdFailTheJobAndItsRoundIsNamed) {
  Begin(2, Verified());
  Disagree();
  KeepAlive(std::chrono::seconds(25));
  EXPECT_EQ(state(), JobState::kRunning);
  KeepAlive(std::chrono::seconds(10));
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kDisagreement);
  EXPECT_THAT(core_.job(id_).record.error, IsError(absl::StatusCode::kDataLoss, "round 1"));
}

TEST_F(Disputes, AThirdExecutorDecidesAndTheOddOneOutIsQuarantined) {
  Begin(3, Verified());
  Disagree();
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty()) << "who has a result has no vote to add";
  const rpc::Lease third = LeaseTo(3);
  EXPECT_EQ(Announce(3, third, 8), Verdict::kSend) << "the majority's bytes are wanted now";
  EXPECT_TRUE(core_.core().quarantined().contains("e1"));
  EXPECT_EQ(core_.EffectsOf<DropContribution>().size(), 1u);
  core_.Stage(third, 8, e_[2]);
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(core_.job(id_).committed, 1);
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty()) << "no work for e1";
  EXPECT_EQ(core_.LeaseUnits(e_[1]).size(), 1u);
}

TEST_F(Disputes, TheHolderIsStillAskedForItsBytesWhileADisputeIsOpen) {
  Begin(3, Verified());
  Disagree();
  // Its first answer was lost: it asks again, and must not drop what may prove right.
  EXPECT_EQ(Announce(1,
                     {.unit = {id_, UnitKind::kTrain, 1, 0},
                      .lease = 0,
                      .base_sha256 = core_.job(id_).names.global_sha256},
                     7),
            Verdict::kSend);
  Announce(3, LeaseTo(3), 7);
  EXPECT_TRUE(core_.core().quarantined().contains("e2"));
  core_.Stage({.unit = {id_, UnitKind::kTrain, 1, 0}}, 7, e_[0]);
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(core_.job(id_).committed, 1);
}

TEST_F(Disputes, FourExecutorsCanNeedTheFifth) {
  Begin(5, Verified());
  Disagree();
  Announce(3, LeaseTo(3), 9);
  EXPECT_EQ(core_.core().quarantined().size(), 0u) << "three words, no majority";
  Announce(4, LeaseTo(4), 8);
  EXPECT_EQ(core_.core().quarantined().size(), 0u) << "two of four are not more than half";
  Announce(5, LeaseTo(5), 8);
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e1", "e3"}));
}

TEST_F(Disputes, ABusyThirdExecutorIsWaitedFor) {
  JobDefinition two = Verified();
  two.plan = {.examples = 4, .workers = 2, .batch_size = 2, .averaging_frequency = 1};
  Begin(3, two);
  const rpc::Lease other = core_.LeaseUnits(e_[2], 1).at(0);  // e3 computes for a minute
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

TEST_F(Disputes, WhatTheOddOneOutGaveElsewhereIsComputedAgain) {
  JobDefinition two = OneWorker();
  two.plan = {.examples = 4, .workers = 2, .batch_size = 2, .averaging_frequency = 1};
  Begin(3, two);
  const auto both = core_.LeaseUnits(e_[0], 2);
  ASSERT_EQ(both.size(), 2u);
  Announce(1, both[0], 1);
  core_.Stage(both[0], 1, e_[0]);
  Announce(1, both[1], 2);
  // Late results of the second unit prove e1 wrong; they need no lease.
  Announce(2, {.unit = both[1].unit, .base_sha256 = both[1].base_sha256}, 3);
  Announce(3, {.unit = both[1].unit, .base_sha256 = both[1].base_sha256}, 3);
  EXPECT_TRUE(core_.core().quarantined().contains("e1"));
  EXPECT_FALSE(core_.job(id_).units.at(both[0].unit.index).accepted);
}

// ---- units that fail ----

TEST_F(Disputes, ANanConfirmedByASecondRunFailsTheJob) {
  Begin(2);
  const rpc::Lease first = LeaseTo(1);
  DL_EXPECT_OK(core_.ReportFailure(e_[0], first, "internal", /*not_finite=*/true));
  DL_EXPECT_OK(core_.ReportFailure(e_[0], first, "internal",
                                   /*not_finite=*/true));  // a repeated message is no second run
  EXPECT_EQ(state(), JobState::kRunning);
  core_.Wait(std::chrono::seconds(1));
  DL_EXPECT_OK(core_.ReportFailure(e_[1], LeaseTo(2), "internal", /*not_finite=*/true));
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kNotFinite);
  EXPECT_THAT(core_.job(id_).record.error, IsError(absl::StatusCode::kInternal, "layer 1"));
  EXPECT_THAT(core_.job(id_).record.error, IsError(absl::StatusCode::kInternal, "round 1"));
}

TEST_F(Disputes, AUnitIsPoisonAfterThreeExecutors) {
  Begin(4);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(state(), JobState::kRunning);
    DL_EXPECT_OK(core_.ReportFailure(e_[static_cast<size_t>(i - 1)], LeaseTo(i), "data_loss"));
    core_.Wait(std::chrono::milliseconds(600));
  }
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kUnitFailed);
}

TEST_F(Disputes, AloneTwoTriesMakePoison) {
  Begin(1);
  DL_EXPECT_OK(core_.ReportFailure(e_[0], LeaseTo(1), "data_loss"));
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty()) << "after a pause only";
  core_.Wait(std::chrono::milliseconds(600));
  DL_EXPECT_OK(core_.ReportFailure(e_[0], LeaseTo(1), "data_loss"));
  EXPECT_EQ(state(), JobState::kFailed);
}

TEST_F(Disputes, OneBrokenExecutorIsNoPoison) {
  Begin(3);
  for (int i = 0; i < 10; ++i) {
    DL_EXPECT_OK(core_.ReportFailure(e_[0], LeaseTo(1), "data_loss"));
    core_.Wait(std::chrono::milliseconds(600));
    for (uint64_t session : e_) core_.Heartbeat(session);
  }
  EXPECT_EQ(state(), JobState::kRunning);
}

TEST_F(Disputes, LosingAPeerSaysNothingAboutTheUnit) {
  Begin(1);
  for (const char* code :
       {"unavailable", "deadline_exceeded", "aborted", "cancelled", "unavailable"}) {
    DL_EXPECT_OK(core_.ReportFailure(e_[0], LeaseTo(1), code));
    core_.Wait(std::chrono::milliseconds(600));
    core_.Heartbeat(e_[0]);
  }
  EXPECT_EQ(state(), JobState::kRunning);
}

TEST_F(Disputes, AnAnnouncementThatDoesNotFitIsAFailureOfTheUnit) {
  Begin(1);
  const auto refused = [&](auto change) {
    const rpc::Lease lease = LeaseTo(1);
    rpc::AnnounceRequest request = core_.Announcement(e_[0], lease, 7);
    change(request);
    core_.Do(Asked<rpc::AnnounceRequest>{999, request});
    const auto answers = core_.EffectsOf<Answer>();
    return answers.empty() ? absl::OkStatus() : answers[0].status;
  };
  EXPECT_THAT(refused([](rpc::AnnounceRequest& r) { r.examples = 3; }),
              IsError(absl::StatusCode::kInvalidArgument, "plan"));
  EXPECT_EQ(state(), JobState::kRunning);
  core_.Wait(std::chrono::milliseconds(600));
  EXPECT_THAT(refused([](rpc::AnnounceRequest& r) { r.magnitudes = {-1}; }),
              IsError(absl::StatusCode::kInvalidArgument, "plan"));
  EXPECT_EQ(state(), JobState::kFailed);
}

TEST_F(Disputes, AQuarantineOutlivesTheMaster) {
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

TEST_F(Disputes, ALateResultIsComparedWithTheCommit) {
  Begin(2);
  const rpc::Lease late = LeaseTo(1);
  const auto announcement = [&](uint64_t bits) { return core_.Announcement(e_[0], late, bits); };
  const rpc::AnnounceRequest same = announcement(100), other = announcement(101);
  core_.Wait(std::chrono::milliseconds(2100));
  core_.CompleteRound(id_, e_[1]);
  core_.Do(Asked<rpc::AnnounceRequest>{901, same});
  EXPECT_EQ(core_.job(id_).duplicate_results, 1);
  EXPECT_TRUE(core_.EffectsOf<Emit>().empty());
  core_.Do(Asked<rpc::AnnounceRequest>{902, other});
  EXPECT_EQ(core_.job(id_).duplicate_results, 1);
  const auto events = core_.EffectsOf<Emit>();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_THAT(events[0].event.value("message", ""), testing::HasSubstr("differs"));
}

// A unit that ends every process that computes it: told by the next incarnation of each.
class Crashes : public Disputes {
 protected:
  uint64_t ComeBack(const std::string& executor, uint64_t incarnation, const UnitId& unit) {
    return core_.Register(
        executor, {.incarnation = incarnation, .crashed = {{.unit = unit, .signal = "SIGSEGV"}}});
  }
};

TEST_F(Crashes, ThreeIncarnationsOfOneExecutorAreEnough) {
  Begin(3);
  const rpc::Lease lease = LeaseTo(1);
  ComeBack("e1", 2, lease.unit);
  ComeBack("e1", 3, lease.unit);
  EXPECT_EQ(state(), JobState::kRunning);
  ComeBack("e1", 4, lease.unit);
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kUnitFailed);
  EXPECT_THAT(core_.job(id_).record.error, IsError(absl::StatusCode::kInternal, "SIGSEGV"));
}

TEST_F(Crashes, TwoAreEnoughWhenNobodyElseIsThere) {
  Begin(1);
  const rpc::Lease lease = LeaseTo(1);
  ComeBack("e1", 2, lease.unit);
  EXPECT_EQ(state(), JobState::kRunning);
  ComeBack("e1", 3, lease.unit);
  EXPECT_EQ(state(), JobState::kFailed);
}

TEST_F(Crashes, OfAUnitThatIsNoLongerOpenSayNothing) {
  Begin(1);
  const rpc::Lease lease = LeaseTo(1);
  UnitId other = lease.unit;
  ++other.round;
  for (uint64_t incarnation = 2; incarnation < 6; ++incarnation) {
    ComeBack("e1", incarnation, other);
    ComeBack("e1", 10 + incarnation, {.job = "none-1"});
  }
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_TRUE(core_.job(id_).units.at(lease.unit.index).errors.empty());
}

}  // namespace
}  // namespace dl::master
