// The timeline of a job on a real cluster: a killed executor is visible, and a restart of the
// master continues it.
#include "base/files.h"
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/status_matchers.h"
#include "tests/support/trace_rules.h"

namespace dl::test {
namespace {

TEST(Timeline, ShowsLostExecutorsAndSurvivesTheMaster) {
  const TempFolder folder;
  const std::string job = WriteJob(folder, "job", MakeSample(folder, {.epochs = 3}));
  const Json reference = RunReference(job);
  StandingCluster cluster(folder);
  cluster.StartMaster();
  {
    const ScopedFailPoints stops("executor.compute=stop@2");
    cluster.StartExecutor();
  }
  cluster.WaitForExecutor(0);
  const std::string id = cluster.Submit(job);
  cluster.WaitForStop(0);  // it has a lease
  DL_ASSERT_OK(cluster.SignalExecutor(0, SIGKILL));
  // Another executor would get the unit a second time before the master notices the loss.
  cluster.WaitUntil(id, [](const Json& now) { return now["state"] == "WAITING"; });
  cluster.StartExecutor();
  cluster.WaitForRound(id, 2);
  cluster.KillMaster();
  cluster.StartMaster();
  const Json result = cluster.Wait(id);
  EXPECT_EQ(result["state_sha256"], reference["state_sha256"]);

  const std::string file = folder / "trace.json";
  const Finished traced = cluster.Ask("trace", {id, "-o", file});
  EXPECT_EQ(traced.result()["rounds"], result["rounds"]) << traced.errors;
  const std::vector<Json> units = ExpectIsTrace(ReadFile(file, 1 << 26).value_or(""));
  int64_t committed = 0, lost = 0;
  double computing = 0;
  for (const Json& unit : units) {
    // The lease may expire before the master notices that the connection is closed.
    if (unit["cat"] == "lost" || unit["cat"] == "expired") ++lost;
    if (unit["cat"] == "committed" && unit["name"].get<std::string>().starts_with("unit"))
      ++committed;
    const Json& args = unit["args"];
    const double shares = args["computing_ms"].get<double>() + args["data_wait_ms"].get<double>() +
                          args["state_wait_ms"].get<double>();
    EXPECT_LE(shares, unit["dur"].get<double>() / 1000 + 0.001) << unit;
    computing += args["computing_ms"].get<double>();
  }
  EXPECT_GE(committed, result["rounds"].get<int64_t>());
  EXPECT_GE(lost, 1);
  EXPECT_GT(computing, 0);
}

}  // namespace
}  // namespace dl::test
