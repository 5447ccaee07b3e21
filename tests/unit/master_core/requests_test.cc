// Requests of parts of the machine that are settled at the end of the step: rollbacks, and failures
// of units.
#include "master/core/machine/requests.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "tests/unit/master_core/rounds_of_one.h"

namespace dl::master {
namespace {

using rpc::Verdict;

Job RunningJobAt(const std::string& id, int64_t committed) {
  Job job;
  job.definition.id = id;
  job.record.state = JobState::kRunning;
  job.log.committed = committed;
  return job;
}

TEST(Requests, RollbackRemovesTheUnitsOfItsJobOnly) {
  const Job job = RunningJobAt("j-1", 3), other = RunningJobAt("j-2", 3);
  Requests requests;
  requests.RollBack(job, {.to = 2});
  EXPECT_TRUE(requests.RemoveUnitsOf(job));
  EXPECT_FALSE(requests.RemoveUnitsOf(other));
  EXPECT_EQ(requests.Take().size(), 1u);
  EXPECT_FALSE(requests.RemoveUnitsOf(job));
}

TEST(Requests, RollbackOfNoRoundIsNotRecorded) {
  Requests requests;
  requests.RollBack(RunningJobAt("j-1", 3), {.to = 3});
  Job ended = RunningJobAt("j-2", 3);
  ended.record.state = JobState::kSucceeded;
  requests.RollBack(ended, {.to = 1});
  EXPECT_TRUE(requests.empty());
}

TEST(Requests, FailureRemovesTheUnitsOfItsJob) {
  const Job job = RunningJobAt("j-1", 3);
  Requests requests;
  requests.FailForUnit(Unit({.id = {.job = "j-1", .round = 4}}), Reason::kUnitFailed, {});
  EXPECT_TRUE(requests.RemoveUnitsOf(job));
}

class SettledRequests : public RoundsOfOne {
 protected:
  // Returns the number of warnings of the last step that contain the text.
  int64_t Warnings(const std::string& text) const {
    const auto emitted = core_.EffectsOf<Emit>();
    return std::ranges::count_if(emitted, [&](const Emit& event) {
      const auto* const warning = std::get_if<WarningEvent>(&event.content);
      return warning != nullptr && warning->message.find(text) != std::string::npos;
    });
  }
  // Results of the unit from other executors than the one with the lease.
  static rpc::Lease WithoutLease(const rpc::Lease& lease) {
    rpc::Lease bare{.unit = lease.unit, .base_sha256 = lease.base_sha256};
    bare.spec_sha256 = lease.spec_sha256;
    return bare;
  }
};

// The third result settles the dispute and would be accepted, but its round is rolled back.
TEST_F(SettledRequests, ResultThatRollsItsJobBackIsUnwanted) {
  Begin(3, Long());
  Round(1, 66);
  const rpc::Lease lease = LeaseTo(1);
  Announce(1, lease, 66);
  Announce(2, WithoutLease(lease), 7);
  EXPECT_EQ(Announce(3, WithoutLease(lease), 7), Verdict::kUnwanted);
  EXPECT_TRUE(core_.EffectsOf<ExpectContribution>().empty());
  EXPECT_EQ(job().log.committed, 0);
  EXPECT_TRUE(job().units.empty());
}

TEST_F(SettledRequests, ResultThatRollsAnotherJobBackIsAccepted) {
  Begin(3, Long());
  Round(1, 66);
  const std::string rolled_back = id_;
  id_ = core_.RunningJob(OneWorker());
  const rpc::Lease lease = LeaseTo(1);
  ASSERT_EQ(lease.unit.job, id_);
  Announce(1, lease, 66);
  Announce(2, WithoutLease(lease), 7);
  EXPECT_EQ(Announce(3, WithoutLease(lease), 7), Verdict::kSend);
  EXPECT_EQ(core_.job(rolled_back).log.committed, 0);
  EXPECT_TRUE(core_.job(rolled_back).units.empty());
  EXPECT_TRUE(job().units.at(0).accepted);
}

// A new process reports crashes at two units. The first report FAILS the job.
TEST_F(SettledRequests, ReportsAboutAJobThatFailsAreIgnored) {
  Begin(1, CoreHarness::Definition());
  const std::vector<rpc::Lease> leases = core_.LeaseUnits(e_[0], 2);
  ASSERT_EQ(leases.size(), 2u);
  std::vector<rpc::CrashedUnit> crashed;
  for (const rpc::Lease& lease : leases) {
    crashed.push_back({.unit = lease.unit,
                       .spec_sha256 = lease.spec_sha256,
                       .signal = "SIGSEGV",
                       .lease = lease.lease,
                       .ticket = core_.TicketOf("e1", lease)});
  }
  core_.Register("e1", {.incarnation = 2, .crashed = crashed});
  EXPECT_EQ(Warnings("failed on executor e1"), 2);
  EXPECT_EQ(state(), JobState::kRunning);
  core_.Register("e1", {.incarnation = 3, .crashed = crashed});
  EXPECT_EQ(Warnings("failed on executor e1"), 1);
  EXPECT_EQ(state(), JobState::kFailed);
}

}  // namespace
}  // namespace dl::master
