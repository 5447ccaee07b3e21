// Results that count: for values that are not finite, and for jobs that name deciding executors.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/rounds_of_one.h"

namespace dl::master {
namespace {

using rpc::Verdict;

class NotFinite : public RoundsOfOne {
 protected:
  void SayNotFinite(int executor) {
    DL_EXPECT_OK(core_.ReportFailure(e_[static_cast<size_t>(executor - 1)], LeaseTo(executor),
                                     "invalid_argument", /*not_finite=*/true));
    KeepAlive(std::chrono::seconds(1));
  }
};

TEST_F(NotFinite, OtherExecutorConfirms) {
  Begin(2);
  SayNotFinite(1);
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty()) << "it has said so";
  SayNotFinite(2);
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kNotFinite);
}

TEST_F(NotFinite, SoleReporterIsQuarantined) {
  Begin(2);
  SayNotFinite(1);
  const rpc::Lease lease = LeaseTo(2);
  EXPECT_EQ(Announce(2, lease, 7), Verdict::kSend);
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e1"}));
  core_.Stage(lease, 7, e_[1]);
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(job().log.committed, 1);
}

TEST_F(NotFinite, OnlyExecutorConfirmsItself) {
  Begin(1);
  SayNotFinite(1);
  EXPECT_EQ(state(), JobState::kRunning);
  SayNotFinite(1);
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kNotFinite);
}

class Deciders : public RoundsOfOne {
 protected:
  static JobDefinition Trusting() {
    JobDefinition definition = Verified();
    definition.verify_executors = {"e3"};
    return definition;
  }
};

TEST_F(Deciders, TwoForgersDoNotOutvoteDecider) {
  Begin(4, Trusting());
  Announce(1, LeaseTo(1), 66);
  EXPECT_TRUE(core_.LeaseUnits(e_[1]).empty()) << "the second result is the trusted one's";
  const rpc::Lease trusted = LeaseTo(3);
  EXPECT_EQ(Announce(3, trusted, 7), Verdict::kSend);
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e1"}));
  core_.Stage(trusted, 7, e_[2]);
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(job().log.committed, 1);
  EXPECT_TRUE(job().attestations.unverified_since.empty());
}

TEST_F(Deciders, WaitForDeciderIsReported) {
  Begin(2, Trusting());  // e3 is not registered
  const rpc::Lease lease = LeaseTo(1);
  KeepAlive(std::chrono::seconds(1));
  EXPECT_EQ(state(), JobState::kRunning);
  Announce(1, lease, 7);
  core_.Stage(lease, 7, e_[0]);
  KeepAlive(std::chrono::seconds(2));
  EXPECT_EQ(state(), JobState::kWaiting);
  EXPECT_THAT(job().record.message, testing::HasSubstr("verify_executors, e3"));
  e_.push_back(core_.Register("e3"));
  KeepAlive(std::chrono::seconds(1));
  EXPECT_EQ(state(), JobState::kRunning);
  Announce(3, LeaseTo(3), 7);
  EXPECT_EQ(job().phase, Phase::kMerging);
}

TEST_F(Deciders, EarlierFailureKeepsWaitingJob) {
  Begin(2, Trusting());  // e3 is not registered
  DL_EXPECT_OK(core_.ReportFailure(e_[0], LeaseTo(1), "data_loss"));
  KeepAlive(std::chrono::seconds(1));
  const rpc::Lease lease = LeaseTo(2);
  Announce(2, lease, 7);
  core_.Stage(lease, 7, e_[1]);
  KeepAlive(std::chrono::seconds(60));
  EXPECT_EQ(state(), JobState::kWaiting);
}

TEST_F(Deciders, ResultOfDeciderNeedsNoConfirmation) {
  Begin(3, Trusting());
  const rpc::Lease trusted = LeaseTo(3);
  Announce(3, trusted, 7);
  core_.Stage(trusted, 7, e_[2]);
  EXPECT_EQ(job().phase, Phase::kMerging);
}

}  // namespace
}  // namespace dl::master
