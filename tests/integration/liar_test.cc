// An executor that computes wrong results and reports them consistently. The results that it gave
// before it is caught must not count.
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

TEST(LiarTest, CaughtLiarRollsBackUnconfirmedRounds) {
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
  // As the only executor it confirms its own results.
  cluster.WaitForExecutor(0);
  const std::string liar = cluster.ExecutorName(0);
  const std::string id = cluster.Submit(job);
  cluster.WaitForStop(0);
  // The other executors join before the job continues, so that it cannot end without them.
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
  // The round log records to which round the job was rolled back.
  int64_t rollbacks = 0;
  for (const Json& record : cluster.RoundLog(id)) {
    if (record.value("type", "") != "rollback") continue;
    ++rollbacks;
    EXPECT_EQ(record.at("round"), 0) << "it had given the first round";
    EXPECT_EQ(record.at("executors"), Json::array({liar}));
  }
  EXPECT_EQ(rollbacks, 1);
}

// Returns the round of the first unit that follows `what` in the text, in the form
// JOB/train/ROUND/WORKER. -1 if there is none.
int64_t RoundNamed(const std::string& text, const std::string& what, const std::string& job) {
  const std::string before = what + job + "/train/";
  const size_t at = text.find(before);
  return at == std::string::npos ? -1 : std::stoll(text.substr(at + before.size()));
}

std::vector<Json> Commits(const std::vector<Json>& log) {
  std::vector<Json> commits;
  for (const Json& record : log) {
    EXPECT_NE(record.value("type", ""), "rollback") << record.dump();
    if (record.value("type", "") == "commit") commits.push_back(record);
  }
  return commits;
}

TEST(LiarTest, FullVerificationCatchesFirstLie) {
  const TempFolder folder;
  job::JobSpec spec = MakeSample(folder, {.job = SampleJob::kMlpAverage, .epochs = 20});
  spec.training.verify_fraction = 1;
  const std::string job = WriteJob(folder, "job", spec);
  const std::string expected = RunReference(job, folder / "reference").value("state_sha256", "-");

  StandingCluster cluster(folder);
  cluster.StartMaster();
  for (int i = 0; i < 2; ++i) cluster.StartExecutor();
  {
    const ScopedFailPoints armed("executor.lie=error@30+");
    cluster.StartExecutor();
  }
  for (size_t i = 0; i < 3; ++i) cluster.WaitForExecutor(i);
  const std::string liar = cluster.ExecutorName(2);
  const std::string id = cluster.Submit(job);
  const Json result = cluster.Wait(id);
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump() << cluster.MasterLog();
  EXPECT_EQ(result.value("state_sha256", ""), expected);
  EXPECT_FALSE(result.contains("rollbacks")) << result.dump();
  const Json known = cluster.Cluster();
  for (const Json& executor : known.at("executors")) {
    EXPECT_EQ(executor.value("quarantined", false), executor.value("executor", "") == liar);
  }

  const int64_t first_lie = RoundNamed(cluster.ExecutorLog(), "wrong result of unit ", id);
  ASSERT_GE(first_lie, 2) << cluster.ExecutorLog();
  // The lie was found after the commit of the previous round and before the commit of its own
  // round.
  int64_t committed = 0, caught = -1, caught_behind = -1;
  for (const Json& event : cluster.Ask("logs", {id}).lines) {
    const std::string type = event.value("type", ""), message = event.value("message", "");
    if (type == "round") committed = event.value("round", int64_t{0});
    if (type != "warning" || message.find("executor " + liar) == std::string::npos) continue;
    EXPECT_EQ(caught, -1) << message;
    caught = RoundNamed(message, "a wrong result of unit ", id);
    caught_behind = committed;
  }
  EXPECT_EQ(caught, first_lie) << cluster.MasterLog();
  EXPECT_EQ(caught_behind, first_lie - 1) << cluster.MasterLog();

  // Commits contain the hash of each unit's result. They must equal those of the run without a
  // liar.
  const Finished log = DlSubmit(
      {"inspect", "--log", "--master", "local[1]", "--data-dir", folder / "reference", id});
  EXPECT_EQ(Commits(cluster.RoundLog(id)), Commits(log.lines)) << log.errors;
}

}  // namespace
}  // namespace dl::test
