// Executors killed, stopped and continued, the master killed and started again in mid-epoch: the
// same bits.
#include <csignal>
#include <cstdlib>

#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

int64_t Count(const Json& job, const char* key) { return job.value(key, int64_t{0}); }

class FaultTest : public testing::TestWithParam<SampleJob> {};

TEST_P(FaultTest, FaultsInsideTrainingAreNotInTheResult) {
  const TempFolder folder;
  constexpr int64_t kEpochs = 240;  // 7 rounds each
  job::JobSpec spec = MakeSample(folder, {.job = GetParam(), .epochs = kEpochs});
  spec.training.lease_seconds = 1;
  spec.training.verify_fraction = 0;  // no duplicates but late ones
  const std::string job = WriteJob(folder, "job", spec);
  const Json reference = RunJob("local[2]", job);
  const std::string expected = reference.value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u) << reference.dump();
  const int64_t rounds = Count(reference, "rounds");
  ASSERT_EQ(rounds, kEpochs * 7);

  StandingCluster cluster(folder);
  cluster.StartMaster();
  // From its 20th unit on, the first executor stops (SIGSTOP) whenever it is about to compute one.
  setenv("DL_FAIL_POINTS", "executor.compute=stop@20+", 1);
  cluster.StartExecutor();
  unsetenv("DL_FAIL_POINTS");
  for (int i = 1; i < 3; ++i) cluster.StartExecutor();
  const std::string id = cluster.Submit(job);
  Json status = cluster.WaitForRound(id, 5);

  // It is stopped for longer than its lease, and goes on: the job went on without it, and what it
  // has is late. It may be told to drop that before it has said it: again, then.
  for (int stops = 0; Count(status, "duplicate_results") == 0 && stops < 30; ++stops) {
    const int64_t expired = Count(status, "expired_leases");
    status = cluster.WaitUntil(
        id, [&](const Json& now) { return Count(now, "expired_leases") > expired; });
    ASSERT_TRUE(cluster.SignalExecutor(0, SIGCONT).ok());
    status = cluster.WaitForRound(id, Count(status, "rounds") + 1);
  }
  EXPECT_GE(Count(status, "expired_leases"), 1);
  EXPECT_GE(Count(status, "duplicate_results"), 1);

  // Another one dies: who has a worker's data, and its updater state under `keep`.
  const std::string dying = cluster.ExecutorName(1);
  const auto computes = [&](const Json& now) {
    for (const Json& executor : now.at("placement")) {
      if (executor == dying) return true;
    }
    return false;
  };
  ASSERT_FALSE(dying.empty());
  status = cluster.WaitUntil(id, computes);
  ASSERT_TRUE(cluster.SignalExecutor(1, SIGKILL).ok());
  status = cluster.WaitUntil(id, [&](const Json& now) { return !computes(now); });

  // The master dies while a round is open, and comes back.
  status = cluster.WaitUntil(id, [](const Json& now) {
    return !now.at("units").empty() && now.value("state", "") == "RUNNING";
  });
  cluster.KillMaster();
  const int64_t seen = Count(status, "rounds");
  ASSERT_LT(seen, rounds - 14) << "the faults came too late";
  cluster.StartMaster();
  cluster.StartExecutor();
  EXPECT_GE(cluster.Cluster().value("term", 0), 2);
  EXPECT_GE(Count(cluster.Job(id), "rounds"), seen) << "a commit is lost";

  const Json result = cluster.Wait(id);
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
  EXPECT_EQ(Count(result, "rounds"), rounds);
  EXPECT_EQ(result.value("state_sha256", ""), expected);
}

INSTANTIATE_TEST_SUITE_P(Samples, FaultTest,
                         testing::Values(SampleJob::kMlpAverage, SampleJob::kMlpReset,
                                         SampleJob::kCnnKeep),
                         [](const auto& info) {
                           switch (info.param) {
                             case SampleJob::kMlpAverage:
                               return "MlpAverage";
                             case SampleJob::kMlpReset:
                               return "MlpReset";
                             case SampleJob::kCnnKeep:
                               return "CnnKeep";
                           }
                           return "?";
                         });

// Interrupted twice, in mid-epoch, resumed on other numbers of executors: as if nothing had
// happened.
TEST(ResumeTest, AResumedRunIsTheUninterruptedOne) {
  const TempFolder folder;
  const std::string job =
      WriteJob(folder, "job", MakeSample(folder, {.job = SampleJob::kCnnKeep, .epochs = 40}));
  const std::string expected = RunJob("local[1]", job).value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u);

  StandingCluster cluster(folder);
  cluster.StartMaster();
  cluster.StartExecutor();
  const std::string id = cluster.Submit(job);
  int64_t round = 0;
  for (int interruption = 0; interruption < 2; ++interruption) {
    const Json before = cluster.WaitForRound(id, round + 12);
    ASSERT_EQ(DlSubmit({"cancel", "--master", cluster.url(), id}).exit_code, 0);
    const Finished ended = DlSubmit({"wait", "--master", cluster.url(), "--json", id});
    EXPECT_EQ(ended.exit_code, 3) << ended.text << ended.errors;
    round = ended.result().value("rounds", int64_t{0});
    ASSERT_GT(round, 0);
    ASSERT_LT(round, 40 * 7) << "the interruption came too late";
    cluster.StartExecutor();
    const Finished resumed = DlSubmit({"resume", "--master", cluster.url(), "-d", id});
    ASSERT_EQ(resumed.exit_code, 0) << resumed.errors;
  }
  const Json result = cluster.Wait(id);
  EXPECT_EQ(result.value("attempt", 0), 3);
  EXPECT_EQ(result.value("state_sha256", ""), expected);
}

}  // namespace
}  // namespace dl::test
