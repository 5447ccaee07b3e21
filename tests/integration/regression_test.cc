// A job that predicts numbers, with settings that no other sample uses: every worker shuffles its
// own examples, two threads compute a unit, and the inputs are scaled to their range.
#include <fstream>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/json.h"
#include "base/philox.h"
#include "gtest/gtest.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/sequential.h"
#include "tests/integration/cluster_under_test.h"

namespace dl::test {
namespace {

constexpr int64_t kTrainRows = 203, kTestRows = 41, kEpochsOfTable = 3;

// target = 2 a - b + 0.5 c + noise
std::string Rows(int64_t count, uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
  std::string rows = "a,b,c,target\n";
  const auto draw = [&] { return 1e-3 * static_cast<double>(random.Bounded(1000)); };
  for (int64_t i = 0; i < count; ++i) {
    const double a = 40 * draw() - 7, b = draw(), c = draw() - 3;
    absl::StrAppend(&rows, a, ",", b, ",", c, ",", 0.05 * a - b + 0.5 * c + 0.1 * draw(), "\n");
  }
  return rows;
}

StatusOr<job::JobSpec> MakeRegression(const TempFolder& folder) {
  const auto table = [&](const std::string& name, int64_t count, uint64_t seed) {
    return data::Csv(folder.Write(name, Rows(count, seed)))
        .LabelColumn("target")
        .LabelsAreNumbers();
  };
  return job::Job("regression")
      .Model(nn::Sequential("regression")
                 .Seed(11)
                 .Updater(nn::Adam(0.01))
                 .WeightDecay(1e-3)
                 .Input(nn::FeedForward(3))
                 .Layer(nn::Dense(32).Activation(nn::LeakyRelu()))
                 .Layer(nn::Output(1).Loss(nn::MeanSquaredError())))
      .Training(ParameterAveraging()
                    .Workers(3)
                    .BatchSizePerWorker(8)
                    .AveragingFrequency(4)
                    .Epochs(kEpochsOfTable)
                    .UpdaterStates(job::UpdaterState::kKeep)
                    .Shuffle(job::ShuffleMode::kPartition)
                    .ThreadsPerWorker(2))
      .Train(table("train.csv", kTrainRows, 1))
      .Test(table("test.csv", kTestRows, 2))
      .Normalizer(job::NormalizerChoice::kMinMax)
      .Build();
}

TEST(Regression, SeedChangesResultAndClusterDoesNot) {
  const TempFolder folder;
  const auto spec = MakeRegression(folder);
  ASSERT_TRUE(spec.ok()) << DescribeError(spec.status());
  const std::string file = WriteJob(folder, "job", *spec);
  const Json one = RunJob("local[1]", file);
  EXPECT_EQ(one.value("state", ""), "SUCCEEDED");
  EXPECT_EQ(one.value("examples", int64_t{0}), kEpochsOfTable * kTrainRows);
  const std::string expected = one.value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u) << one;
  const Json& metrics = one.at("metrics");
  for (const char* split : {"train", "test"}) {
    EXPECT_EQ(metrics.at(split).size(), 1u) << "numbers have no accuracy: " << metrics;
    EXPECT_GT(metrics.at(split).at("loss"), 0.0);
    EXPECT_LT(metrics.at(split).at("loss"), 3.0);
  }

  const Json cluster = RunJob("local-cluster[2]", file);
  EXPECT_EQ(cluster.value("state_sha256", ""), expected);
  EXPECT_EQ(cluster.at("metrics"), metrics);
  const std::string other = RunJob("local[2]", file, {"--seed", "12"}).value("state_sha256", "");
  EXPECT_EQ(other.size(), 64u);
  EXPECT_NE(other, expected);
}

// Returns the first predicted number and the first target of each line; the target is 0 if the data
// has no labels.
std::vector<std::pair<double, double>> PredictionsAndTargets(const std::string& path) {
  std::vector<std::pair<double, double>> pairs;
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) {
    const Json prediction = Json::parse(line);
    pairs.emplace_back(
        prediction.at("outputs")[0].get<double>(),
        prediction.contains("targets") ? prediction["targets"][0].get<double>() : 0.0);
  }
  return pairs;
}

// float32 has steps of 128 near the features and the numbers to predict.
TEST(Regression, NumbersThatFloat32CannotDistinguishArePredicted) {
  const TempFolder folder;
  constexpr int64_t kTime = 1'600'000'000;
  std::string rows = "a,y\n", unlabelled = "a\n";
  for (int i = 0; i < 600; ++i) {
    absl::StrAppend(&rows, kTime + i % 100, ".5,", kTime + i % 100, "\n");
    absl::StrAppend(&unlabelled, kTime + i % 100, ".5\n");
  }
  const std::string train = folder.Write("t.csv", rows), data = folder / "data";
  const auto succeeds = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--data-dir", data, "--json"});
    const Finished ended = DlSubmit(arguments);
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    return ended;
  };
  const Finished run = succeeds(
      {"run", "mlp", "--train", train, "--regression", "--epochs", "40", "--master", "local[1]"});
  EXPECT_EQ(run.errors.find("rounded to float32"), std::string::npos) << run.errors;

  succeeds({"predict", "mlp-1", "--data", train, "-o", folder / "out.jsonl"});
  const auto predicted = PredictionsAndTargets(folder / "out.jsonl");
  ASSERT_EQ(predicted.size(), 600u);
  for (int i = 0; i < 600; ++i) {
    const double right = static_cast<double>(kTime + i % 100);
    EXPECT_EQ(predicted[i].second, right);
    EXPECT_NEAR(predicted[i].first, right, 15);
  }
  succeeds({"predict", "mlp-1", "--data", folder.Write("u.csv", unlabelled), "--no-labels", "-o",
            folder / "unlabelled.jsonl"});
  const auto without_labels = PredictionsAndTargets(folder / "unlabelled.jsonl");
  ASSERT_EQ(without_labels.size(), 600u);
  for (int i = 0; i < 600; ++i) EXPECT_EQ(without_labels[i].first, predicted[i].first);

  succeeds({"export", "mlp-1", "-o", folder / "m.safetensors"});
  const auto exported = ReadFile(folder / "m.safetensors", 1 << 24);
  ASSERT_TRUE(exported.ok()) << exported.status();
  EXPECT_NE(exported->find(R"("origins":"[1600000000.5]")"), std::string::npos);
  EXPECT_NE(exported->find(R"("target_origins":"[1600000000.0]")"), std::string::npos);
}

}  // namespace
}  // namespace dl::test
