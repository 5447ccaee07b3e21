// What the end of the largest round costs the core, in one event each: everybody waits for it.
#include <algorithm>
#include <iostream>
#include <iterator>

#include "base/limits.h"
#include "gtest/gtest.h"
#include "tests/support/plain_strategy.h"
#include "tests/unit/master_core/core_harness.h"
#include "tests/unit/master_core/long_step.h"

namespace dl::master {
namespace {

constexpr int64_t kSegments = 256;
constexpr int64_t kRounds = 24;

TEST(RoundCost, OfAsManyWorkersAsAJobMayHave) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "what a sanitizer adds is not the core's";
#endif
  CoreHarness core;
  core.checks_invariants = false;
  JobDefinition definition = CoreHarness::Definition();
  constexpr int64_t kWorkers = limits::kMaxWorkers;
  definition.plan = {
      .examples = kWorkers, .workers = kWorkers, .batch_size = 1, .averaging_frequency = 1};
  definition.epochs = kRounds + 1;
  definition.example_hash_sum = kWorkers;
  definition.strategy = test::PlainStrategy(kSegments);
  const uint64_t session = core.Register("e1", {.slots = limits::kMaxSlots});
  const std::string id = core.RunningJob(definition);
  Duration leased = Duration::max(), announced = Duration::max(), staged = Duration::max(),
           merged = Duration::max();
  // The least of a few: what the machine did meanwhile is no cost of the event.
  for (int64_t round = 1; round <= kRounds; ++round) {
    std::vector<rpc::Lease> leases;
    for (size_t before = 1; leases.size() != before;) {
      before = leases.size();
      std::ranges::move(core.LeaseUnits(session, kWorkers), std::back_inserter(leases));
      if (leases.size() > before) leased = std::min(leased, core.spent);
    }
    ASSERT_EQ(static_cast<int64_t>(leases.size()), kWorkers);
    for (const rpc::Lease& lease : leases) {
      rpc::AnnounceRequest said = core.Announcement(session, lease, 1);
      said.magnitudes.assign(kSegments, 1.0);
      core.Do(Asked<Announcement>{1, Understand(std::move(said))});
    }
    announced = std::min(announced, core.spent);
    for (const rpc::Lease& lease : leases) core.Stage(lease, 1, session);
    ASSERT_EQ(core.job(id).phase, Phase::kMerging);
    staged = std::min(staged, core.spent);
    core.RoundIsMerged(id, round);
    merged = std::min(merged, core.spent);
  }
  const auto expect_cheap = [](const char* what, Duration least) {
    std::cout << what << ": " << 1e3 * Seconds(least) << " ms\n";
    EXPECT_LE(least, LongStepHere()) << what;
  };
  expect_cheap("leases for an executor of 1,024 slots", leased);
  expect_cheap("the last announcement of a round of 4,096 units", announced);
  expect_cheap("its last contribution, with 256 segments each", staged);
  expect_cheap("its commit, and the next round's opening", merged);
}

}  // namespace
}  // namespace dl::master
