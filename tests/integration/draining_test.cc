// An executor that is told to stop first delivers what it computes, so that no unit is computed
// twice.
#include <csignal>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

// Contains the kind, because an evaluation after a round has units of that round, too.
std::string NameOf(const Json& unit) {
  return absl::StrCat(unit.value("kind", ""), " ", unit.value("round", int64_t{0}), " ",
                      unit.value("index", -1));
}

TEST(DrainingTest, StoppedExecutorDeliversRunningUnits) {
  const TempFolder folder;
  job::JobSpec spec = MakeSample(folder, {.epochs = 20});
  spec.training.verify_fraction = 0;  // no unit is computed twice on purpose
  spec.training.lease_seconds = 60;
  const std::string job = WriteJob(folder, "job", spec);
  const std::string expected = RunReference(job).value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u);

  StandingCluster cluster(folder);
  cluster.StartMaster();
  {
    // The executor stops after it has computed a unit and before it announces the result.
    const ScopedFailPoints armed("executor.announce=stop@20");
    cluster.StartExecutor();
  }
  const std::string id = cluster.Submit(job);
  cluster.WaitForStop(0);
  const std::string leaving = cluster.ExecutorName(0);
  // Takes the first unit that it holds, because units are leased in order. A later unit may be a
  // lease that is still on its way, which was requested when the slot became free. The executor
  // returns such a lease.
  Json unit;
  const Json before = cluster.Job(id);
  for (const Json& open : before.at("units")) {
    for (const Json& holder : open.at("leased_to")) {
      if (holder == leaving && unit.empty()) unit = open;
    }
  }
  ASSERT_FALSE(unit.empty()) << leaving << " holds no unit: " << before.dump();

  ASSERT_TRUE(cluster.SignalExecutor(0, SIGTERM).ok());
  cluster.Continue(0);
  EXPECT_EQ(cluster.WaitForExecutorEnd(0), 0);
  const Json status = cluster.Job(id);
  bool done = status.value("rounds", int64_t{0}) >= unit.value("round", int64_t{0});
  for (const Json& open : status.at("units")) {
    if (NameOf(open) == NameOf(unit)) done = open.value("settled", false);
  }
  EXPECT_TRUE(done) << unit.dump() << " left with who computed it: " << status.dump();
  cluster.StartExecutor();

  const Json result = cluster.Wait(id);
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
  EXPECT_EQ(result.value("state_sha256", ""), expected);
  EXPECT_EQ(cluster.Job(id).value("duplicate_results", int64_t{-1}), 0);
}

}  // namespace
}  // namespace dl::test
