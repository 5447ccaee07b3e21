// An executor that computes wrongly and says so consistently: what it gave before it is caught does
// not count.
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

TEST(LiarTest, ItsUnconfirmedRoundsAreComputedAgainWhenItIsCaught) {
  const TempFolder folder;
  job::JobSpec spec = MakeSample(folder, {.job = SampleJob::kMlpAverage, .epochs = 60});
  spec.training.verify_fraction = 0.2;
  const std::string job = WriteJob(folder, "job", spec);
  const std::string expected = RunReference(job).value("state_sha256", "-");

  StandingCluster cluster(folder);
  cluster.StartMaster();
  {
    const ScopedFailPoints armed("executor.lie=error@1+;executor.compute=stop@100");
    cluster.StartExecutor();
  }
  // Alone it confirms itself.
  cluster.WaitForExecutor(0);
  const std::string liar = cluster.ExecutorName(0);
  const std::string id = cluster.Submit(job);
  cluster.WaitForStop(0);
  // The others come before the job goes on: it cannot end without them, however late they are.
  ASSERT_EQ(cluster.Ask("cancel", {id}).exit_code, 0);
  const Json cancelled = cluster.Ask("wait", {id}).result();
  ASSERT_EQ(cancelled.value("state", ""), "CANCELLED") << cancelled.dump();
  EXPECT_GE(cancelled.value("rounds", int64_t{0}), 10);
  cluster.Continue(0);
  for (int i = 0; i < 2; ++i) cluster.StartExecutor();
  for (size_t i = 0; i < 3; ++i) cluster.WaitForExecutor(i);
  ASSERT_EQ(cluster.Ask("resume", {id, "-d"}).exit_code, 0);

  const Json result = cluster.Wait(id);
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump() << cluster.MasterLog();
  EXPECT_EQ(result.value("state_sha256", ""), expected);
  EXPECT_GE(result.value("rollbacks", 0), 1) << result.dump();
  const Json known = cluster.Cluster();
  for (const Json& executor : known.at("executors")) {
    EXPECT_EQ(executor.value("quarantined", false), executor.value("executor", "") == liar);
  }
  // The chain says where it went back to.
  int64_t rollbacks = 0;
  for (const Json& record : cluster.RoundLog(id)) {
    if (record.value("type", "") != "rollback") continue;
    ++rollbacks;
    EXPECT_EQ(record.at("round"), 0) << "it had given the first round";
    EXPECT_EQ(record.at("executors"), Json::array({liar}));
  }
  EXPECT_EQ(rollbacks, 1);
}

}  // namespace
}  // namespace dl::test
