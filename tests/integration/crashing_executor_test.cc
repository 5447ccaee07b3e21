// Executors of a local cluster crash by a signal, as after a bug. They are restarted and do not
// change the result, unless one unit crashes every executor.
#include "base/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/exit_codes.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

using testing::HasSubstr;

class CrashingExecutorTest : public testing::Test {
 protected:
  std::string Job(int64_t epochs) {
    return WriteJob(folder_, "job",
                    MakeSample(folder_, {.job = SampleJob::kCnnKeep, .epochs = epochs}));
  }
  Finished RunWhile(const std::string& fail_points, const std::string& job) {
    const ScopedFailPoints armed(fail_points.c_str());
    return DlSubmit({"run", "--master", "local-cluster[2]", "--data-dir", data_, "--json", job});
  }
  std::string ExecutorLogs() const {
    std::string logs;
    for (const char* name : {"/logs/executor-0.log", "/logs/executor-1.log"})
      logs += ReadFile(data_ + name, 1 << 20).value_or("");
    return logs;
  }

  TempFolder folder_;
  const std::string data_ = folder_ / "data";
};

// The first executor that reaches its thirtieth unit crashes; the job has about 170 units. Only one
// may crash: the cluster has two executors, and if both crashed at the same unit the job would
// rightly fail.
TEST_F(CrashingExecutorTest, RestartLeavesResultUnchanged) {
  const std::string job = Job(8);
  const std::string expected = RunReference(job).value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u);
  const Finished finished = RunWhile("executor.compute=abort@30" + folder_ / "ended", job);
  EXPECT_EQ(finished.exit_code, 0) << finished.text << finished.errors;
  EXPECT_EQ(finished.result().value("state_sha256", ""), expected);
  EXPECT_THAT(ExecutorLogs(), HasSubstr("was ended by SIGABRT while it computed cnn-1/"));
}

TEST_F(CrashingExecutorTest, UnitThatCrashesAllExecutorsFailsJob) {
  const Finished finished = RunWhile("executor.compute=abort@1+", Job(1));
  EXPECT_EQ(finished.exit_code, kFailed) << finished.text << finished.errors;
  const Json& result = finished.result();
  EXPECT_EQ(result.value("reason", ""), "unit_failed") << result.dump();
  const Json error = result.value("error", Json::object());
  EXPECT_THAT(error.value("message", ""), HasSubstr("ended by SIGABRT"));
  EXPECT_THAT(error.value("message", ""), HasSubstr("round 1, worker "));
  EXPECT_THAT(error.value("remedy", ""), HasSubstr("log of executor"));
}

// An executor that crashes or is killed at each unit, and is restarted each time.
class BadExecutorTest : public testing::TestWithParam<std::string> {
 protected:
  BadExecutorTest() {
    job::JobSpec spec = MakeSample(folder_, {.job = SampleJob::kMlpAverage, .epochs = 20});
    spec.training.verify_fraction = 0;
    job_ = WriteJob(folder_, "job", spec);
    cluster_.StartMaster();
  }
  void StartBad(const std::string& way) {
    const ScopedFailPoints armed(("executor.compute=" + way + "@1+").c_str());
    cluster_.UseExecutorFlags({"--restart"});
    cluster_.StartExecutor(folder_ / "cache");
  }

  const TempFolder folder_;
  StandingCluster cluster_{folder_};
  std::string job_;
};

TEST_P(BadExecutorTest, JobSucceedsOnAnotherExecutor) {
  cluster_.StartExecutor();
  cluster_.WaitForExecutor(0);
  const std::string id = cluster_.Submit(job_);
  StartBad(GetParam());
  const Json result = cluster_.Wait(id);
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump() << cluster_.MasterLog();
  EXPECT_EQ(result.value("state_sha256", ""), RunReference(job_).value("state_sha256", "-"));
}

INSTANTIATE_TEST_SUITE_P(Ways, BadExecutorTest, testing::Values("abort", "kill"),
                         [](const auto& way) { return way.param; });

using KilledExecutorTest = BadExecutorTest;

TEST_P(KilledExecutorTest, JobOfOnlyExecutorReportsWhyItWaits) {
  StartBad(GetParam());
  const std::string id = cluster_.Submit(job_);
  const Json job = cluster_.WaitUntil(
      id, [](const Json& one) { return one.value("reason", "") == "process_killed"; });
  EXPECT_EQ(job.value("state", ""), "WAITING");
  EXPECT_THAT(job.value("message", ""), HasSubstr("probably by a memory limit"));
  // Once another executor joins, the job is computed.
  cluster_.UseExecutorFlags({});
  cluster_.StartExecutor();
  EXPECT_EQ(cluster_.Wait(id).value("state", ""), "SUCCEEDED");
}

INSTANTIATE_TEST_SUITE_P(Ways, KilledExecutorTest, testing::Values("kill"),
                         [](const auto& way) { return way.param; });

}  // namespace
}  // namespace dl::test
