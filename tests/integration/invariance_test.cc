// The cluster does not change the result: one job on many clusters gives one SHA-256.
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

class InvarianceTest : public testing::TestWithParam<SampleJob> {};

TEST_P(InvarianceTest, NumberOfExecutorsLeavesResultUnchanged) {
  const TempFolder folder;
  const std::string job = WriteJob(folder, "job", MakeSample(folder, {.job = GetParam()}));
  const Json one = RunJob("local[1]", job);
  const std::string expected = one.value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u) << one.dump();
  EXPECT_EQ(one.value("state", ""), "SUCCEEDED");
  EXPECT_EQ(one.value("examples", 0), 2 * 331);
  for (const char* cluster : {"local[2]", "local-cluster[2]", "local-cluster[3]"}) {
    const Json result = RunJob(cluster, job);
    EXPECT_EQ(result.value("state_sha256", ""), expected) << cluster;
    EXPECT_EQ(result.at("metrics"), one.at("metrics")) << cluster;
  }
}

// An evaluation does not depend on the process that asks for it, or on earlier computations. Here
// the same slot computes both.
TEST_P(InvarianceTest, EvaluateOfLastCheckpointEqualsJob) {
  const TempFolder folder;
  const std::string data = folder / "data";
  job::JobSpec spec = MakeSample(folder, {.job = GetParam(), .epochs = 1});
  spec.training.verify_fraction = 1;
  const std::string job = WriteJob(folder, "job", spec);
  const Finished run =
      DlSubmit({"run", job, "--master", "local-cluster[1]", "--data-dir", data, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const std::string checkpoint = run.result().value("checkpoint", "");
  const Finished evaluated = DlSubmit({"evaluate", checkpoint, "--data-dir", data, "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.errors;
  const Json told = run.result().at("metrics").at("test");
  EXPECT_EQ(evaluated.result().at("loss"), told.at("loss"));
  EXPECT_EQ(evaluated.result().value("accuracy", -1.0), told.value("accuracy", -1.0));
}

TEST_P(InvarianceTest, SeedChangesResult) {
  const TempFolder folder;
  const std::string job = WriteJob(folder, "job", MakeSample(folder, {.job = GetParam()}));
  const std::string first = RunJob("local[2]", job).value("state_sha256", "");
  const std::string second = RunJob("local[2]", job, {"--seed", "8"}).value("state_sha256", "");
  EXPECT_EQ(first.size(), 64u);
  EXPECT_EQ(second.size(), 64u);
  EXPECT_NE(first, second);
}

INSTANTIATE_TEST_SUITE_P(Samples, InvarianceTest,
                         testing::Values(SampleJob::kMlpAverage, SampleJob::kMlpReset,
                                         SampleJob::kCnnKeep, SampleJob::kMlpOuter,
                                         SampleJob::kCnnOuterKeep, SampleJob::kCnnEma,
                                         SampleJob::kLstm, SampleJob::kStatefulLstm,
                                         SampleJob::kTransformer, SampleJob::kVariableLength,
                                         SampleJob::kMaskedText, SampleJob::kVae,
                                         SampleJob::kHalves, SampleJob::kTasks),
                         [](const auto& info) { return ToString(info.param); });

}  // namespace
}  // namespace dl::test
