// The events of one unit cost about the same, however many units the round has. A cost that is
// proportional to the number of units would make the cost of a round quadratic.
#include <algorithm>
#include <vector>

#include "base/limits.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

constexpr int64_t kFew = 256, kMany = 8 * kFew;
// A cost proportional to the number of units would give a factor of 8.
constexpr double kMostGrowth = 4;

// Processor time of the core, per unit of a round.
struct UnitCost {
  Duration announced = Duration::max();
  Duration staged = Duration::max();
};

// An executor computes all units of a round, and delivers their results only then. Uses the
// cheapest of several rounds, because other activity of the machine is not counted.
UnitCost Measure(int64_t workers) {
  constexpr int64_t kRounds = 5;
  CoreHarness core;
  core.checks_invariants = false;
  JobDefinition definition = CoreHarness::Definition();
  definition.plan = {
      .examples = workers, .workers = workers, .batch_size = 1, .averaging_frequency = 1};
  definition.epochs = kRounds + 1;
  definition.example_hash_sum = static_cast<uint64_t>(workers);
  const uint64_t session = core.Register("e1", {.slots = limits::kMaxSlots});
  const std::string id = core.RunningJob(definition);
  UnitCost cost;
  for (int64_t round = 1; round <= kRounds; ++round) {
    std::vector<rpc::Lease> leases;
    while (static_cast<int64_t>(leases.size()) < workers) {
      const auto more = core.LeaseUnits(session, limits::kMaxSlots);
      if (more.empty()) break;
      leases.insert(leases.end(), more.begin(), more.end());
    }
    EXPECT_EQ(static_cast<int64_t>(leases.size()), workers);
    Duration announced{}, staged{};
    for (const rpc::Lease& lease : leases) {
      DL_EXPECT_OK(core.Announce(session, lease, 1));
      announced += core.spent;
      core.now = core.now + std::chrono::microseconds(1);  // when the result is requested
    }
    for (const rpc::Lease& lease : leases) {
      core.Stage(lease, 1, session);
      staged += core.spent;
    }
    EXPECT_EQ(core.job(id).phase, Phase::kMerging);
    core.RoundIsMerged(id, round);
    cost.announced = std::min(cost.announced, announced / workers);
    cost.staged = std::min(cost.staged, staged / workers);
  }
  return cost;
}

TEST(GrowthOfCost, EventsOfOneUnitDoNotDependOnNumberOfUnits) {
  const UnitCost few = Measure(kFew), many = Measure(kMany);
  EXPECT_LE(Seconds(many.announced), kMostGrowth * Seconds(few.announced));
  EXPECT_LE(Seconds(many.staged), kMostGrowth * Seconds(few.staged));
}

}  // namespace
}  // namespace dl::master
