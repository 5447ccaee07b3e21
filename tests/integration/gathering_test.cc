// Rounds with more contributions than the master may stage. The bits stay the same, whichever
// process dies.
#include <csignal>

#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

class GatheringTest : public testing::TestWithParam<SampleJob> {
 protected:
  // With --staging 0 the master stages nothing.
  void SetUp() override { cluster_.UseMasterFlags({"--staging", "0"}); }
  void Begin(SampleJob sample, double verify_fraction) {
    job::JobSpec spec = MakeSample(folder_, {.job = sample, .epochs = 6});
    spec.training.verify_fraction = verify_fraction;
    const std::string job = WriteJob(folder_, "job", spec);
    expected_ = RunReference(job).value("state_sha256", "");
    ASSERT_EQ(expected_.size(), 64u);
    cluster_.StartMaster();
    job_file_ = job;
  }
  Json ExpectTheReference(const std::string& id) {
    const Json result = cluster_.Wait(id);
    EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump() << cluster_.MasterLog();
    EXPECT_EQ(result.value("state_sha256", ""), expected_);
    return cluster_.Job(id);
  }

  const TempFolder folder_;
  StandingCluster cluster_{folder_};
  std::string job_file_, expected_;
};

TEST_P(GatheringTest, PartialSumsGiveSameBits) {
  Begin(GetParam(), 0);
  const ScopedFailPoints on_disk("executor.hold=error@1+");
  cluster_.StartExecutor();
  cluster_.StartExecutor();
  const Json job = ExpectTheReference(cluster_.Submit(job_file_));
  EXPECT_GT(job.value("gathered_contributions", 0), 0) << job.dump();
  EXPECT_GT(job.value("gathered_sums", 0), 0) << job.dump();
}

TEST_P(GatheringTest, OpenedSumEqualsItsContributions) {
  Begin(GetParam(), 0.5);
  cluster_.StartExecutor();
  cluster_.StartExecutor();
  const Json job = ExpectTheReference(cluster_.Submit(job_file_));
  EXPECT_GT(job.value("gathered_sums", 0), 0) << job.dump();
  const Json known = cluster_.Cluster();
  for (const Json& executor : known.at("executors"))
    EXPECT_FALSE(executor.value("quarantined", true)) << executor.dump();
}

// If every unit is computed twice, executors send no sums.
TEST_P(GatheringTest, SingleContributionsGiveSameBits) {
  Begin(GetParam(), 1);
  cluster_.StartExecutor();
  cluster_.StartExecutor();
  const Json job = ExpectTheReference(cluster_.Submit(job_file_));
  EXPECT_GT(job.value("gathered_contributions", 0), 0) << job.dump();
  EXPECT_EQ(job.value("gathered_sums", -1), 0) << job.dump();
}

INSTANTIATE_TEST_SUITE_P(Samples, GatheringTest,
                         testing::Values(SampleJob::kMlpAverage, SampleJob::kMlpReset,
                                         SampleJob::kCnnKeep, SampleJob::kMlpOuter,
                                         SampleJob::kCnnOuterKeep, SampleJob::kStatefulLstm),
                         [](const auto& info) { return ToString(info.param); });

// Traffic of a job that one executor computes. Each round it fetches one state and sends either
// three contributions or their sum.
class GatheringTraffic : public GatheringTest {
 protected:
  Json TrafficOn(StandingCluster& cluster) {
    cluster.StartExecutor();
    const std::string id = cluster.Submit(job_file_);
    EXPECT_EQ(cluster.Wait(id).value("state_sha256", ""), expected_);
    const Json job = cluster.Job(id);
    sums_ = job.value("gathered_sums", int64_t{0});
    return job.at("traffic");
  }

  int64_t sums_ = 0;
};

TEST_P(GatheringTraffic, SumIsSentInsteadOfContributions) {
  Begin(GetParam(), 0);
  const Json gathered = TrafficOn(cluster_);
  EXPECT_GT(sums_, 0);
  const TempFolder folder;
  StandingCluster staging(folder);
  staging.StartMaster();
  const Json staged = TrafficOn(staging);
  EXPECT_EQ(sums_, 0);
  const auto of = [](const Json& traffic, const char* key) {
    return traffic.at(key).get<int64_t>();
  };
  // A sum consists of 64-bit integers and replaces three vectors of float32.
  EXPECT_EQ(3 * of(gathered, "contributed_bytes"), 2 * of(staged, "contributed_bytes"));
  EXPECT_EQ(of(gathered, "fetched_bytes"), of(staged, "fetched_bytes"));
  EXPECT_LT(of(gathered, "bytes_per_round"), of(staged, "bytes_per_round"));
}

INSTANTIATE_TEST_SUITE_P(Samples, GatheringTraffic, testing::Values(SampleJob::kMlpAverage),
                         [](const auto& info) { return ToString(info.param); });

class GatheringFaults : public GatheringTest {};

TEST_P(GatheringFaults, ExecutorKilledWhileSendingIsReplaced) {
  Begin(GetParam(), 0);
  {
    const ScopedFailPoints armed("executor.contribute=stop@3");
    cluster_.StartExecutor();
  }
  const std::string id = cluster_.Submit(job_file_);
  cluster_.WaitForStop(0);
  cluster_.StartExecutor();
  ASSERT_TRUE(cluster_.SignalExecutor(0, SIGKILL).ok());
  ExpectTheReference(id);
}

TEST_P(GatheringFaults, MasterKilledWhileGatheringContinues) {
  Begin(GetParam(), 0);
  {
    const ScopedFailPoints armed("executor.contribute=stop@3");
    cluster_.StartExecutor();
  }
  cluster_.StartExecutor();
  const std::string id = cluster_.Submit(job_file_);
  cluster_.WaitForStop(0);
  cluster_.KillMaster();
  cluster_.StartMaster();
  cluster_.Continue(0);
  ExpectTheReference(id);
}

TEST_P(GatheringFaults, StoppedExecutorDeliversHeldResults) {
  Begin(GetParam(), 0);
  {
    const ScopedFailPoints armed("executor.contribute=stop@3");
    cluster_.StartExecutor();
  }
  const std::string id = cluster_.Submit(job_file_);
  cluster_.WaitForStop(0);
  ASSERT_TRUE(cluster_.SignalExecutor(0, SIGTERM).ok());
  cluster_.Continue(0);
  EXPECT_EQ(cluster_.WaitForExecutorEnd(0), 0);
  cluster_.StartExecutor();
  ExpectTheReference(id);
}

INSTANTIATE_TEST_SUITE_P(Samples, GatheringFaults, testing::Values(SampleJob::kCnnKeep),
                         [](const auto& info) { return ToString(info.param); });

}  // namespace
}  // namespace dl::test
