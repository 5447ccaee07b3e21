// Jobs that read their data as a stream: they can learn only in the order of the source, and a
// dataset in another order is refused.
#include "absl/strings/str_cat.h"
#include "base/philox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/sequential.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/exit_codes.h"
#include "tests/support/folder_content.h"

namespace dl::test {
namespace {

constexpr int64_t kTokens = 4, kStepsOfWindow = 2, kTrainWindows = 3000, kTestWindows = 300;

// Returns windows of random tokens. The label of a step is the token of the previous step. For the
// first step of a window, it is the last token of the window before.
std::string Windows(int64_t windows, uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
  std::string rows = "window,token,label\n";
  uint64_t before = 0;
  for (int64_t step = 0; step < windows * kStepsOfWindow; ++step) {
    const uint64_t token = step < kTokens ? step : random.Bounded(kTokens);
    absl::StrAppend(&rows, step / kStepsOfWindow, ",t", token, ",t", before, "\n");
    before = token;
  }
  return rows;
}

class StreamOrder : public testing::TestWithParam<int64_t> {
 protected:
  job::CsvSource Source(const std::string& name, int64_t windows, uint64_t seed) {
    return data::Csv(folder_.Write(name, Windows(windows, seed)))
        .LabelColumn("label")
        .FindCategorical()
        .Sequences(job::SequenceRows(kStepsOfWindow).By("window").LabelsOfSteps().OfEqualLength());
  }
  StatusOr<job::JobSpec> Job(int64_t workers) {
    return job::Job("echo")
        .Model(nn::Sequential("echo")
                   .Seed(5)
                   .Updater(nn::Adam(0.01))
                   .Input(nn::Sequence(kStepsOfWindow, kTokens))
                   .Layer(nn::Lstm(24).Stateful())
                   .Layer(nn::Output(kTokens).Loss(nn::SoftmaxCrossEntropy())))
        .Training(ParameterAveraging()
                      .Workers(workers)
                      .BatchSizePerWorker(10)
                      .AveragingFrequency(4)
                      .Epochs(4)
                      .EvaluationBatchSize(5)
                      .Shuffle(job::ShuffleMode::kStream))
        .Train(Source("train.csv", kTrainWindows, 1))
        .Test(Source("test.csv", kTestWindows, 2))
        .Build();
  }

  TempFolder folder_;
};

// Without the order half of the labels are random, and the best accuracy on the training set is 0.5
// + 0.5 / kTokens. The test set is always read in order.
TEST_P(StreamOrder, LabelsOfTheWindowBeforeAreLearned) {
  const auto spec = Job(GetParam());
  ASSERT_TRUE(spec.ok()) << DescribeError(spec.status());
  const Json result = RunJob("local[2]", WriteJob(folder_, "job", *spec));
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result;
  for (const char* set : {"train", "test"})
    EXPECT_GT(result.at("metrics").at(set).at("accuracy"), 0.97) << set << result;
}
INSTANTIATE_TEST_SUITE_P(Workers, StreamOrder, testing::Values(1, 3),
                         [](const auto& info) { return absl::StrCat("Of", info.param); });

// A dataset imported in either order, which a job names by its manifest.
TEST_F(StreamOrder, ShuffledDatasetIsRefused) {
  const auto spec = Job(1);
  ASSERT_TRUE(spec.ok()) << DescribeError(spec.status());
  const std::string data = folder_ / "data";
  Json job = Json::parse(Content(WriteJob(folder_, "job", *spec)));
  job["data"].erase("test");
  job["training"]["epochs"] = 1;
  const std::string source = folder_.Write("train.json", job["data"]["train"].dump());
  const auto run = [&](const Json& document) {
    return DlSubmit(
        {"run", folder_.Write("run.json", document.dump()), "--data-dir", data, "--json"});
  };
  const auto run_with = [&](const std::string& order) {
    const Finished imported =
        DlSubmit({"import", source, "--order", order, "--data-dir", data, "--json"});
    EXPECT_EQ(imported.exit_code, 0) << imported.errors;
    EXPECT_EQ(imported.result().value("order", ""), order);
    Json with_manifest = job;
    with_manifest["data"]["train"] = {{"format", "manifest"},
                                      {"sha256", imported.result().at("manifest_sha256")},
                                      {"examples", kTrainWindows},
                                      {"feature_shape", {kStepsOfWindow, kTokens}},
                                      {"classes", kTokens},
                                      {"targets", 0},
                                      {"labels_per_example", kStepsOfWindow}};
    return run(with_manifest);
  };
  EXPECT_EQ(run(job).exit_code, 0);
  const Finished in_order = run_with("source");
  EXPECT_EQ(in_order.exit_code, 0) << in_order.errors;

  Json shuffled = job;
  shuffled["training"]["shuffle"] = "global";
  for (Json& layer : shuffled["model"]["layers"]) {
    if (layer.contains("stateful")) layer["stateful"] = false;
  }
  EXPECT_EQ(run(shuffled).exit_code, 0);
  const Finished refused = run_with("shuffled");
  EXPECT_EQ(refused.exit_code, kBadData) << refused.errors;
  EXPECT_THAT(refused.errors, testing::AllOf(testing::HasSubstr("data.train"),
                                             testing::HasSubstr("reads its examples in order"),
                                             testing::HasSubstr("--order source")));
}

}  // namespace
}  // namespace dl::test
