// A job that predicts numbers, with settings that no other sample uses: every worker shuffles its
// own examples, two threads compute a unit, and the inputs are scaled to their range.
#include "absl/strings/str_cat.h"
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

}  // namespace
}  // namespace dl::test
