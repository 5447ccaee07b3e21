// Executors whose units or deliveries fail together are backed off once.
#include <string_view>

#include "gtest/gtest.h"
#include "master/core/record_keys.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/one_unit.h"

namespace dl::master {
namespace {

using rpc::Verdict;

class BackoffTest : public OneUnit {
 protected:
  static JobDefinition FourWorkers() {
    JobDefinition definition = CoreHarness::Definition();
    definition.plan = {.examples = 4, .workers = 4, .batch_size = 1, .averaging_frequency = 1};
    return definition;
  }
  // Returns how often the job has reported that e1 is backed off.
  int64_t CountBackoffs() {
    int64_t count = 0;
    const auto add = [&](std::string_view, std::string_view event) {
      count += event.find("executor e1 is backed off") != std::string_view::npos ? 1 : 0;
      return absl::OkStatus();
    };
    DL_EXPECT_OK(core_.store.Scan(keys::EventPrefix(id_), add));
    return count;
  }
  // The first executor sends heartbeats with these units, the others without units.
  rpc::HeartbeatReply Heard(const std::vector<rpc::UnitProgress>& running) {
    core_.Wait(std::chrono::milliseconds(500));
    for (size_t i = 1; i < e_.size(); ++i) core_.Heartbeat(e_[i]);
    return core_.Heartbeat(e_[0], running);
  }
};

TEST_F(BackoffTest, SlotsThatStallTogetherCountOnce) {
  Begin(2, FourWorkers());
  std::vector<rpc::UnitProgress> stuck;
  for (const rpc::Lease& lease : core_.LeaseUnits(e_[0], 2))
    stuck.push_back({.unit = lease.unit, .lease = lease.lease, .steps_total = 8});
  for (int i = 0; i < 1000 && core_.job(id_).counts.stalls == 0; ++i) Heard(stuck);
  EXPECT_EQ(core_.job(id_).counts.stalls, 2);
  EXPECT_EQ(CountBackoffs(), 1);
}

// As when the disk of the machine is full. Later failures count again.
TEST_F(BackoffTest, SlotsThatFailTogetherCountOnce) {
  Begin(1, FourWorkers());
  for (int64_t times = 1; times <= 2; ++times) {
    const auto leases = core_.LeaseUnits(e_[0], 4);
    ASSERT_EQ(leases.size(), 4u) << times;
    for (const rpc::Lease& lease : leases) {
      core_.Wait(std::chrono::milliseconds(1));
      // Two equal errors of the only executor would be the unit's own.
      const char* code = times == 1 ? "internal" : "data_loss";
      DL_EXPECT_OK(core_.ReportFailure(e_[0], lease, code));
    }
    EXPECT_EQ(CountBackoffs(), times);
    KeepAlive(std::chrono::seconds(1));
  }
}

TEST_F(BackoffTest, CrashWithFourUnitsCountsOnce) {
  Begin(2, FourWorkers());
  std::vector<rpc::CrashedUnit> crashed;
  for (const rpc::Lease& lease : core_.LeaseUnits(e_[0], 4)) {
    crashed.push_back({.unit = lease.unit,
                       .spec_sha256 = lease.spec_sha256,
                       .signal = "SIGSEGV",
                       .lease = lease.lease,
                       .ticket = core_.TicketOf("e1", lease)});
  }
  ASSERT_EQ(crashed.size(), 4u);
  e_[0] = core_.Register("e1", {.incarnation = 2, .crashed = crashed});
  EXPECT_EQ(CountBackoffs(), 1);
}

// The sum of two held results does not arrive. Its holder may still compute their units after
// another executor has failed at one too often.
TEST_F(BackoffTest, SumThatDoesNotArriveCountsOnce) {
  core_.options().staging_bytes = 0;
  core_.Restart();
  JobDefinition definition = CoreHarness::Definition();
  definition.plan = {.examples = 4, .workers = 2, .batch_size = 2, .averaging_frequency = 1};
  Begin(2, definition);
  std::vector<rpc::UnitProgress> held;
  for (const rpc::Lease& lease : core_.LeaseUnits(e_[0], 2)) {
    EXPECT_EQ(Announce(1, lease, 100 + static_cast<uint64_t>(lease.unit.index)), Verdict::kHold);
    held.push_back({.unit = lease.unit, .lease = lease.lease});
  }
  const auto asked = Heard(held).gathers;
  ASSERT_EQ(asked.size(), 1u);
  ASSERT_TRUE(asked[0].sum);
  while (core_.job(id_).phase == Phase::kGathering) Heard(held);
  ASSERT_EQ(core_.job(id_).counts.stalls, 2);
  EXPECT_EQ(CountBackoffs(), 1);
  (void)LeaseTo(2);  // the other unit
  for (int time = 0; time < 3; ++time) {
    DL_EXPECT_OK(core_.ReportFailure(e_[1], LeaseTo(2), "internal"));
    for (int i = 0; i < 2; ++i) Heard({});
  }
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_EQ(core_.LeaseUnits(e_[0]).size(), 1u);
}

}  // namespace
}  // namespace dl::master
