// Executors of a local cluster that end by a bug's signal: they are started again and are not in
// the result, unless it is one unit that ends them all.
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

// The first to come to its thirtieth unit ends there; the job has about 170 of them. One only: two
// that end at the same unit are all there are, and the job fails, rightly.
TEST_F(CrashingExecutorTest, IsStartedAgainAndNotInTheResult) {
  const std::string job = Job(8);
  const std::string expected = RunReference(job).value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u);
  const Finished finished = RunWhile("executor.compute=abort@30" + folder_ / "ended", job);
  EXPECT_EQ(finished.exit_code, 0) << finished.text << finished.errors;
  EXPECT_EQ(finished.result().value("state_sha256", ""), expected);
  EXPECT_THAT(ExecutorLogs(), HasSubstr("was ended by SIGABRT while it computed cnn-1/"));
}

TEST_F(CrashingExecutorTest, AUnitThatEndsEverybodyFailsTheJobAndIsNamed) {
  const Finished finished = RunWhile("executor.compute=abort@1+", Job(1));
  EXPECT_EQ(finished.exit_code, kFailed) << finished.text << finished.errors;
  const Json& result = finished.result();
  EXPECT_EQ(result.value("reason", ""), "unit_failed") << result.dump();
  const Json error = result.value("error", Json::object());
  EXPECT_THAT(error.value("message", ""), HasSubstr("ended by SIGABRT"));
  EXPECT_THAT(error.value("message", ""), HasSubstr("round 1, worker "));
  EXPECT_THAT(error.value("remedy", ""), HasSubstr("log of executor"));
}

}  // namespace
}  // namespace dl::test
