// Units that fail.
#include <cmath>
#include <functional>
#include <limits>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/one_unit.h"

namespace dl::master {
namespace {

using dl::test::IsError;
using rpc::Verdict;

class Failures : public OneUnit {};

TEST_F(Failures, ConfirmedNanFailsJob) {
  Begin(2);
  const rpc::Lease first = LeaseTo(1);
  DL_EXPECT_OK(core_.ReportFailure(e_[0], first, "internal", /*not_finite=*/true));
  DL_EXPECT_OK(core_.ReportFailure(e_[0], first, "internal",
                                   // A repeated message is no second computation.
                                   /*not_finite=*/true));
  EXPECT_EQ(state(), JobState::kRunning);
  core_.Wait(std::chrono::seconds(1));
  DL_EXPECT_OK(core_.ReportFailure(e_[1], LeaseTo(2), "internal", /*not_finite=*/true));
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kNotFinite);
  EXPECT_THAT(core_.job(id_).record.error, IsError(absl::StatusCode::kInternal, "layer 1"));
  EXPECT_THAT(core_.job(id_).record.error, IsError(absl::StatusCode::kInternal, "round 1"));
}

TEST_F(Failures, UnitIsPoisonAfterThreeExecutors) {
  Begin(4);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(state(), JobState::kRunning);
    DL_EXPECT_OK(core_.ReportFailure(e_[static_cast<size_t>(i - 1)], LeaseTo(i), "data_loss"));
    core_.Wait(std::chrono::milliseconds(600));
  }
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kUnitFailed);
}

TEST_F(Failures, UnitIsPoisonAfterTwoTriesOfOnlyExecutor) {
  Begin(1);
  DL_EXPECT_OK(core_.ReportFailure(e_[0], LeaseTo(1), "data_loss"));
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty()) << "after a pause only";
  core_.Wait(std::chrono::milliseconds(600));
  DL_EXPECT_OK(core_.ReportFailure(e_[0], LeaseTo(1), "data_loss"));
  EXPECT_EQ(state(), JobState::kFailed);
}

TEST_F(Failures, BrokenExecutorIsBackedOffAndJobContinues) {
  Begin(3);
  DL_EXPECT_OK(core_.ReportFailure(e_[0], LeaseTo(1), "data_loss"));
  core_.Wait(std::chrono::milliseconds(600));
  for (uint64_t session : e_) core_.Heartbeat(session);
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty());
  EXPECT_EQ(Announce(2, LeaseTo(2), 7), Verdict::kSend);
}

TEST_F(Failures, DifferentErrorsOfAllExecutorsFailJob) {
  Begin(2);
  for (int i = 0; i < 3; ++i) {
    for (int executor = 1; executor <= 2; ++executor) {
      ASSERT_EQ(state(), JobState::kRunning);
      const char* code = executor == 1 ? "data_loss" : "internal";
      DL_EXPECT_OK(
          core_.ReportFailure(e_[static_cast<size_t>(executor - 1)], LeaseTo(executor), code));
      KeepAlive(std::chrono::seconds(1));
    }
  }
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kUnitFailed);
}

// The executor that could compute the unit leaves. The other one failed at it too often and stays.
class NoExecutorCanConfirm : public Failures {
 protected:
  void SetUp() override {
    Begin(2);
    core_.Do(Asked<rpc::GoodbyeRequest>{999, {.session = e_[1]}});
    e_.pop_back();
    for (int i = 0; i < 3; ++i) {
      DL_EXPECT_OK(core_.ReportFailure(e_[0], LeaseTo(1), "data_loss", /*not_finite=*/false,
                                       rpc::Fault::kExecutor));
      KeepAlive(std::chrono::seconds(1));
    }
    KeepAlive(std::chrono::seconds(25));
    EXPECT_EQ(state(), JobState::kRunning);
    EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty());
  }
};

TEST_F(NoExecutorCanConfirm, JobFailsAfterTimeout) {
  EXPECT_LE(core_.core().NextDeadline(), core_.now + std::chrono::seconds(6));
  KeepAlive(std::chrono::seconds(6));
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kUnitFailed);
  EXPECT_THAT(core_.job(id_).record.error, IsError(absl::StatusCode::kDataLoss, "layer 1"));
}

TEST_F(NoExecutorCanConfirm, NewExecutorContinuesJob) {
  e_.push_back(core_.Register("e3"));
  KeepAlive(std::chrono::seconds(40));
  EXPECT_EQ(state(), JobState::kRunning) << "it may be busy";
  EXPECT_EQ(Announce(2, LeaseTo(2), 7), Verdict::kSend);
}

TEST_F(Failures, BytesInTransitKeepJob) {
  Begin(1, Verified());
  DL_EXPECT_OK(core_.ReportFailure(e_[0], LeaseTo(1), "data_loss"));
  core_.Wait(std::chrono::seconds(1));
  const rpc::Lease lease = LeaseTo(1);
  EXPECT_EQ(Announce(1, lease, 7), Verdict::kSend);
  for (int i = 0; i < 60; ++i) {
    core_.Wait(std::chrono::seconds(1));
    core_.Heartbeat(e_[0], {{.unit = lease.unit, .lease = lease.lease}});
  }
  EXPECT_EQ(state(), JobState::kRunning);
}

TEST_F(Failures, HolderConfirmsItselfIfOtherFails) {
  Begin(2, Verified());
  const rpc::Lease first = LeaseTo(1);
  EXPECT_EQ(Announce(1, first, 7), Verdict::kSend);
  core_.Stage(first, 7, e_[0]);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty()) << "another one may still confirm it";
    DL_EXPECT_OK(core_.ReportFailure(e_[1], LeaseTo(2), "data_loss"));
    KeepAlive(std::chrono::seconds(1));
  }
  EXPECT_TRUE(core_.LeaseUnits(e_[1]).empty());
  Announce(1, LeaseTo(1), 7);
  EXPECT_EQ(core_.job(id_).phase, Phase::kMerging);
}

TEST_F(Failures, FailingThirdExecutorDoesNotDecide) {
  Begin(3, Verified());
  const rpc::Lease first = LeaseTo(1);
  EXPECT_EQ(Announce(1, first, 7), Verdict::kSend);
  core_.Stage(first, 7, e_[0]);
  EXPECT_EQ(Announce(2, LeaseTo(2), 8), Verdict::kUnwanted);
  for (int i = 0; i < 3; ++i) {
    DL_EXPECT_OK(core_.ReportFailure(e_[2], LeaseTo(3), "data_loss"));
    KeepAlive(std::chrono::seconds(1));
  }
  KeepAlive(std::chrono::seconds(40));
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kDisagreement);
}

TEST_F(Failures, BytesUnlikeAnnouncementAreFailure) {
  Begin(2);
  rpc::Lease lease = LeaseTo(1);
  EXPECT_EQ(Announce(1, lease, 7), Verdict::kSend);
  const uint64_t expected = core_.job(id_).units.at(0).result.expected;
  const Status why = DataLoss({.message = "not what was announced", .where = "unit"});
  core_.Do(ContributionRefused{lease.unit, expected + 1, e_[0], why});
  EXPECT_TRUE(core_.job(id_).units.at(0).accepted) << "of another result";
  core_.Do(ContributionRefused{lease.unit, expected, e_[0], why});
  EXPECT_FALSE(core_.job(id_).units.at(0).accepted);
  EXPECT_EQ(core_.EffectsOf<DropContribution>().size(), 1u);
  KeepAlive(std::chrono::seconds(1));
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty());
  lease = LeaseTo(2);
  EXPECT_EQ(Announce(2, lease, 7), Verdict::kSend);
  core_.Stage(lease, 7, e_[1]);
  EXPECT_EQ(core_.job(id_).phase, Phase::kMerging);
}

// The fault decides, whatever the error code is: a master at its connection limit answers
// resource_exhausted.
TEST_F(Failures, NetworkAndMasterFaultsAreOnlyReported) {
  Begin(3);
  std::vector<std::string> warnings;
  for (int i = 0; i < 20; ++i) {
    const int executor = 1 + i % 3;
    const rpc::Fault fault = i % 2 == 0 ? rpc::Fault::kNetwork : rpc::Fault::kMaster;
    DL_EXPECT_OK(core_.ReportFailure(e_[static_cast<size_t>(executor - 1)], LeaseTo(executor),
                                     "resource_exhausted", false, fault));
    for (std::string& warning : core_.Warnings()) warnings.push_back(std::move(warning));
    KeepAlive(std::chrono::seconds(1));
  }
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_EQ(core_.Query("job", id_)["retries"], (Json{{"network", 10}, {"master", 10}}));
  EXPECT_EQ(warnings.size(), 6u) << "the 2nd, 4th and 8th of each";
  EXPECT_THAT(warnings.back(), testing::HasSubstr("8 times"));
  EXPECT_EQ(Announce(1, LeaseTo(1), 7), Verdict::kSend);
}

TEST_F(Failures, ExecutorFaultCountsOnlyAgainstExecutor) {
  Begin(3);
  for (int executor = 1; executor <= 2; ++executor) {
    ASSERT_EQ(state(), JobState::kRunning);
    DL_EXPECT_OK(core_.ReportFailure(e_[static_cast<size_t>(executor - 1)], LeaseTo(executor),
                                     "data_loss", false, rpc::Fault::kExecutor));
    KeepAlive(std::chrono::seconds(1));
  }
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty()) << "it is not asked any more";
  EXPECT_EQ(Announce(3, LeaseTo(3), 7), Verdict::kSend) << "one that is well is";
}

class Misfits : public Failures {
 protected:
  // Returns the answer to the first executor's announcement after `change` was applied to it.
  template <typename Change>
  Status AnswerTo(Change change) {
    const rpc::Lease lease = LeaseTo(1);
    rpc::AnnounceRequest request = core_.Announcement(e_[0], lease, 7);
    change(request);
    core_.Do(Asked<Announcement>{999, ParseAnnouncement(request)});
    const auto answers = core_.EffectsOf<Answer>();
    return answers.empty() ? absl::OkStatus() : answers[0].status;
  }
  static auto IsRefused() { return IsError(absl::StatusCode::kInvalidArgument, "plan"); }
};

TEST_F(Misfits, InvalidAnnouncementIsFailureOfExecutor) {
  Begin(1);
  EXPECT_THAT(AnswerTo([](rpc::AnnounceRequest& r) { r.examples = 3; }), IsRefused());
  EXPECT_EQ(state(), JobState::kRunning);
  core_.Wait(std::chrono::milliseconds(600));
  EXPECT_THAT(AnswerTo([](rpc::AnnounceRequest& r) { r.magnitudes = {-1}; }), IsRefused());
  KeepAlive(std::chrono::seconds(1));
  EXPECT_THAT(AnswerTo([](rpc::AnnounceRequest& r) { r.metrics = "{"; }), IsRefused());
  EXPECT_EQ(state(), JobState::kRunning) << "another executor may come";
  KeepAlive(std::chrono::seconds(32));
  EXPECT_EQ(state(), JobState::kFailed);
}

// Metrics must count every example.
TEST_F(Misfits, WrongNumberOfExamplesIsInvalid) {
  Begin(1);
  nn::MetricSums sums;
  EXPECT_THAT(AnswerTo([&](rpc::AnnounceRequest& r) { r.metrics = sums.ToJson().dump(); }),
              IsRefused());
  core_.Wait(std::chrono::milliseconds(600));
  for (int i = 0; i < 1000; ++i) sums.AddLoss(1);
  EXPECT_THAT(AnswerTo([&](rpc::AnnounceRequest& r) { r.metrics = sums.ToJson().dump(); }),
              IsRefused());
}

// The master checks every field that the job determines: finite magnitudes, classes, finite losses,
// and possible sums of losses.
TEST_F(Misfits, FieldsUnknownToJobAreInvalid) {
  Begin(2);
  nn::MetricSums fits;
  for (int i = 0; i < 4; ++i) fits.AddLoss(1);
  const auto with = [&](const std::string& key, const Json& value) {
    Json metrics = fits.ToJson();
    metrics[key] = value;
    return metrics.dump();
  };
  nn::MetricSums of_classes(3);
  for (int i = 0; i < 4; ++i) of_classes.AddLoss(1);
  const rpc::Lease lease = LeaseTo(1);
  const rpc::AnnounceRequest right = core_.Announcement(e_[0], lease, 7);
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<std::function<void(rpc::AnnounceRequest&)>> changes = {
      [](rpc::AnnounceRequest& r) { r.magnitudes = {1e39}; },
      [&](rpc::AnnounceRequest& r) { r.magnitudes = {infinite}; },
      [](rpc::AnnounceRequest& r) { r.magnitudes = {std::nan("")}; },
      [](rpc::AnnounceRequest& r) { r.magnitudes = {1e-300}; },
      [](rpc::AnnounceRequest& r) {
        r.magnitudes = {1, 1};
      },
      [&](rpc::AnnounceRequest& r) { r.metrics = of_classes.ToJson().dump(); },
      [&](rpc::AnnounceRequest& r) { r.metrics = with("non_finite", 1); },
      [&](rpc::AnnounceRequest& r) {
        r.metrics = with("loss_sum", "60000000000000000000000000000000000000");
      },
      [](rpc::AnnounceRequest& r) {
        r.parts = {{"updater", "no hash"}};
      }};
  for (size_t i = 0; i < changes.size(); ++i) {
    rpc::AnnounceRequest request = right;
    changes[i](request);
    // Each is sent by another executor, which alone is blamed.
    const std::string name = absl::StrCat("wrong-", i);
    request.session = core_.Register(name);
    request.ticket = core_.TicketOf(name, lease);
    core_.Do(Asked<Announcement>{999, ParseAnnouncement(request)});
    const auto answers = core_.EffectsOf<Answer>();
    ASSERT_EQ(answers.size(), 1u) << i;
    EXPECT_THAT(answers[0].status, IsRefused()) << i;
    EXPECT_FALSE(core_.job(id_).units.at(0).accepted) << i;
    EXPECT_TRUE(core_.job(id_).units.at(0).HasFailed(name)) << i;
    core_.Do(Asked<rpc::GoodbyeRequest>{999, {.session = request.session}});
  }
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_EQ(Announce(1, lease, 7), Verdict::kSend);
}

// After a restart of the master, executors register at different times. The first may be alone for
// a moment.
TEST_F(Failures, OtherExecutorsAreExpectedAfterRestart) {
  Begin(2);
  core_.Restart();
  core_.StateIsPrepared(id_);
  e_ = {core_.Register("e1")};
  KeepAlive(std::chrono::seconds(1));
  for (int i = 0; i < 3; ++i) {
    DL_EXPECT_OK(core_.ReportFailure(e_[0], LeaseTo(1), "internal", /*not_finite=*/true));
    EXPECT_EQ(state(), JobState::kRunning) << i;
    KeepAlive(std::chrono::seconds(1));
  }
  e_.push_back(core_.Register("e2"));
  EXPECT_EQ(Announce(2, LeaseTo(2), 7), Verdict::kSend);
  EXPECT_TRUE(core_.core().quarantined().contains("e1")) << "it alone saw a loss that is no number";
}

TEST_F(Failures, RecentlyLostExecutorIsExpected) {
  Begin(2);
  core_.Do(SessionDisconnected{e_[1]});
  e_.pop_back();
  KeepAlive(std::chrono::seconds(2));
  for (int i = 0; i < 2; ++i) {
    DL_EXPECT_OK(core_.ReportFailure(e_[0], LeaseTo(1), "data_loss"));
    KeepAlive(std::chrono::seconds(1));
  }
  EXPECT_EQ(state(), JobState::kRunning);
  e_.push_back(core_.Register("e2"));
  EXPECT_EQ(Announce(2, LeaseTo(2), 7), Verdict::kSend);
}

}  // namespace
}  // namespace dl::master
