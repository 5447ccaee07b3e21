// Promises about time, tested in virtual time.
#include "executor/core/executor_core_options.h"
#include "gtest/gtest.h"
#include "tests/sim/sim_cluster.h"

namespace dl::sim {
namespace {

SimJob TwoWorkers() {
  SimJob job;
  job.plan = {.examples = 40, .workers = 2, .batch_size = 2, .averaging_frequency = 1};
  job.epochs = 4;
  job.checkpoint = {.every_epoch = false};
  return job;
}

int64_t LeasesOf(const Cluster& cluster, const std::string& executor) {
  int64_t leases = 0;
  for (const auto& [id, job] : cluster.master.process->core().jobs()) {
    for (const auto& [index, unit] : job.units) {
      for (const master::UnitLease& lease : unit.leases)
        leases += lease.executor == executor ? 1 : 0;
    }
  }
  return leases;
}

// A cluster with two executors whose units run until the test ends.
class Detection : public testing::TestWithParam<uint64_t> {
 protected:
  void SetUp() override {
    cluster_.master.Start();
    for (size_t i = 0; i < 2; ++i) cluster_.AddExecutor({.unit_time = std::chrono::hours(100)});
    for (const auto& executor : cluster_.executors) executor->Start();
    cluster_.jobs.Submit(TwoWorkers());
    ASSERT_TRUE(cluster_.RunUntil(cluster_.time.now() + std::chrono::seconds(20), [&] {
      return LeasesOf(cluster_, "e0") == 1 && LeasesOf(cluster_, "e1") == 1;
    })) << cluster_.report.breach;
    // The test starts at various times between two heartbeats.
    cluster_.RunFor(std::chrono::milliseconds(700 + 37 * GetParam()));
  }
  Duration UntilE0HasNoLease() {
    const Instant start = cluster_.time.now();
    EXPECT_TRUE(cluster_.RunUntil(start + std::chrono::minutes(2),
                                  [&] { return LeasesOf(cluster_, "e0") == 0; }));
    return cluster_.time.now() - start;
  }

  Cluster cluster_{GetParam()};
};

TEST_P(Detection, KilledExecutorIsFoundWithinTwoSeconds) {
  cluster_.executors[0]->Kill();
  EXPECT_LE(UntilE0HasNoLease(), std::chrono::seconds(2));
  EXPECT_EQ(cluster_.report.breach, "");
}

TEST_P(Detection, StoppedExecutorIsFoundWithinLease) {
  cluster_.executors[0]->process()->Pause();
  const Duration took = UntilE0HasNoLease();
  EXPECT_LE(took, std::chrono::seconds(10) + 2 * cluster_.network.faults.longest_delay);
  // Not earlier either: a slow network must not look like a lost executor.
  EXPECT_GE(took, std::chrono::seconds(9));
  EXPECT_EQ(cluster_.report.breach, "");
}

INSTANTIATE_TEST_SUITE_P(Seeds, Detection, testing::Range<uint64_t>(1, 21));

class Restart : public testing::TestWithParam<uint64_t> {};

// A call that the killed master had received ends at its deadline, after two seconds. The executor
// then pauses before it calls again.
TEST_P(Restart, MasterLeasesAgainAfterALostCallAndAPause) {
  Cluster cluster(GetParam());
  cluster.master.Start();
  for (size_t i = 0; i < 2; ++i)
    cluster.AddExecutor({.unit_time = std::chrono::milliseconds(300)}).Start();
  cluster.jobs.Submit(TwoWorkers());
  ASSERT_TRUE(cluster.RunUntil(cluster.time.now() + std::chrono::seconds(60), [&] {
    return !cluster.jobs.ids().empty() &&
           cluster.jobs.Find(cluster.jobs.ids()[0])->log.committed >= 5;
  })) << cluster.report.breach;
  cluster.RunFor(std::chrono::milliseconds(13 * GetParam()));
  cluster.master.Kill();
  cluster.RunFor(std::chrono::milliseconds(1 + 400 * (GetParam() % 10)));
  cluster.master.Start();
  ASSERT_EQ(cluster.report.master_starts, 2);
  cluster.RunUntil(cluster.time.now() + std::chrono::seconds(30),
                   [&] { return cluster.master.process->first_lease() < Instant::Max(); });
  EXPECT_LE(cluster.master.process->first_lease() - cluster.master.process->started(),
            std::chrono::seconds(2) + executor::CoreOptions().longest_backoff);
  EXPECT_TRUE(cluster.RunToTheEnd(std::chrono::minutes(5)));
  cluster.CheckResults();
  EXPECT_EQ(cluster.report.breach, "");
}

INSTANTIATE_TEST_SUITE_P(Seeds, Restart, testing::Range<uint64_t>(1, 21));

// Equality of runs depends on the job's own state: another seed gives another state.
TEST(Reference, AnotherSeedGivesAnotherState) {
  SimJob job = TwoWorkers();
  const std::string one = RunWithoutFaults(job).states.back().names.state_sha256;
  EXPECT_EQ(RunWithoutFaults(job).states.back().names.state_sha256, one);
  ++job.seed;
  EXPECT_NE(RunWithoutFaults(job).states.back().names.state_sha256, one);
}

}  // namespace
}  // namespace dl::sim
