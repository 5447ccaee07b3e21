// Early stopping by a metric that executors compute as sums. The metric is the same on every
// cluster and equals that of `evaluate`.
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/philox.h"
#include "gtest/gtest.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/sequential.h"
#include "tests/integration/cluster_under_test.h"

namespace dl::test {
namespace {

// The target is 2 a - b + noise, or whether this value is positive.
std::string Rows(int64_t count, uint64_t seed, bool has_classes) {
  RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
  std::string rows = "a,b,target\n";
  for (int64_t i = 0; i < count; ++i) {
    const double a = random.NextNormal(), b = random.NextNormal();
    const double target = 2 * a - b + random.NextNormal();
    absl::StrAppend(&rows, a, ",", b, ",");
    if (has_classes) {
      absl::StrAppend(&rows, target > 0 ? "yes" : "no", "\n");
    } else {
      absl::StrAppend(&rows, target, "\n");
    }
  }
  return rows;
}

std::string WriteWatchingJob(const TempFolder& folder, const std::string& metric,
                             bool has_classes) {
  const auto table = [&](const std::string& name, int64_t count, uint64_t seed) {
    auto csv = data::Csv(folder.Write(name, Rows(count, seed, has_classes))).LabelColumn("target");
    return has_classes ? csv : csv.LabelsAreNumbers();
  };
  const nn::Output output = has_classes ? nn::Output(2).Loss(nn::SoftmaxCrossEntropy())
                                        : nn::Output(1).Loss(nn::MeanSquaredError());
  auto spec =
      job::Job("watching")
          .Model(nn::Sequential("watching")
                     .Seed(3)
                     .Updater(nn::Adam(0.01))
                     .Input(nn::FeedForward(2))
                     .Layer(nn::Dense(8).Activation(nn::Tanh()))
                     .Layer(output))
          .Training(
              ParameterAveraging().Workers(3).BatchSizePerWorker(8).AveragingFrequency(4).Epochs(3))
          .Train(table("train.csv", 301, 1))
          .Test(table("test.csv", 707, 2))
          .Build();
  EXPECT_TRUE(spec.ok()) << DescribeError(spec.status());
  spec->training.early_stopping = job::EarlyStoppingConf{.metric = metric, .patience = 9};
  return WriteJob(folder, "job", *spec);
}

// Returns the metric of each epoch.
std::vector<double> FiguresOf(const Finished& run, const std::string& metric) {
  std::vector<double> figures;
  for (const Json& line : run.lines) {
    if (line.value("type", "") != "epoch") continue;
    EXPECT_EQ(line.value("watched", ""), metric) << line;
    figures.push_back(line.at("figures").at(metric).get<double>());
  }
  return figures;
}

void ExpectTheFigureOfEvaluate(const std::string& metric, bool has_classes, double tolerance) {
  const TempFolder folder;
  const std::string job = WriteWatchingJob(folder, metric, has_classes), data = folder / "data";
  const Finished one = DlSubmit({"run", "--master", "local[1]", "--data-dir", data, "--json", job});
  ASSERT_EQ(one.exit_code, 0) << one.text << one.errors;
  const std::vector<double> figures = FiguresOf(one, metric);
  ASSERT_EQ(figures.size(), 3u);
  const Finished two = DlSubmit(
      {"run", "--master", "local-cluster[2]", "--data-dir", folder / "cluster", "--json", job});
  ASSERT_EQ(two.exit_code, 0) << two.text << two.errors;
  EXPECT_EQ(FiguresOf(two, metric), figures);
  EXPECT_EQ(two.result().value("state_sha256", ""), one.result().value("state_sha256", "-"));

  const Finished evaluated =
      DlSubmit({"evaluate", "--data-dir", data, "--json", "watching-1@last"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.text << evaluated.errors;
  const Json& report = evaluated.result();
  const double wanted = (has_classes ? report : report.at("outputs")[0]).at(metric).get<double>();
  EXPECT_GT(wanted, 0.5) << "the model learned nothing: the test shows little";
  EXPECT_NEAR(figures.back(), wanted, tolerance);
}

TEST(WatchedFigures, R2EqualsEvaluateOnEveryCluster) {
  ExpectTheFigureOfEvaluate("r2", false, 1e-5);
}

TEST(WatchedFigures, RocAucIsNearEvaluateOnEveryCluster) {
  ExpectTheFigureOfEvaluate("roc_auc", true, 1e-3);
}

}  // namespace
}  // namespace dl::test
