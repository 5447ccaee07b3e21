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

// A number to predict, a large one that is standardized, two classes, or three classes of weighted
// examples.
enum class Target { kNumber, kLargeNumber, kTwoClasses, kThreeWeightedClasses };

bool IsNumber(Target kind) { return kind == Target::kNumber || kind == Target::kLargeNumber; }

// The target is 2 a - b + noise, a large number that depends on it, or the range in which it is.
std::string TargetText(Target kind, double value) {
  switch (kind) {
    case Target::kNumber:
      return absl::StrCat(value);
    case Target::kLargeNumber:
      return absl::StrCat(500'000 + 1000 * value);
    case Target::kTwoClasses:
      return value > 0 ? "yes" : "no";
    case Target::kThreeWeightedClasses:
      return value > 1 ? "high" : value > -1 ? "middle" : "low";
  }
  return "";
}

std::string Rows(int64_t count, uint64_t seed, Target kind) {
  RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
  const bool weighted = kind == Target::kThreeWeightedClasses;
  std::string rows = weighted ? "w,a,b,target\n" : "a,b,target\n";
  for (int64_t i = 0; i < count; ++i) {
    const double a = random.NextNormal(), b = random.NextNormal();
    const double target = 2 * a - b + random.NextNormal();
    if (weighted) absl::StrAppend(&rows, 0.25 * static_cast<double>(i % 9), ",");
    absl::StrAppend(&rows, a, ",", b, ",", TargetText(kind, target), "\n");
  }
  return rows;
}

std::string WriteWatchingJob(const TempFolder& folder, const std::string& metric, Target kind) {
  const bool has_classes = !IsNumber(kind);
  const auto table = [&](const std::string& name, int64_t count, uint64_t seed) {
    auto csv = data::Csv(folder.Write(name, Rows(count, seed, kind))).LabelColumn("target");
    if (kind == Target::kThreeWeightedClasses) csv.WeightColumn("w");
    return has_classes ? csv : csv.LabelsAreNumbers();
  };
  const int64_t classes = kind == Target::kTwoClasses ? 2 : 3;
  const nn::Output output = has_classes ? nn::Output(classes).Loss(nn::SoftmaxCrossEntropy())
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
  if (kind == Target::kLargeNumber)
    spec->training.target_normalizer = job::NormalizerChoice::kStandardize;
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

void ExpectTheFigureOfEvaluate(const std::string& metric, Target kind, double tolerance) {
  const TempFolder folder;
  const std::string job = WriteWatchingJob(folder, metric, kind), data = folder / "data";
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
  const double wanted =
      (!IsNumber(kind) ? report : report.at("outputs")[0]).at(metric).get<double>();
  EXPECT_GT(wanted, 0.5) << "the model learned nothing: the test shows little";
  EXPECT_NEAR(figures.back(), wanted, tolerance);
}

TEST(WatchedFigures, R2EqualsEvaluateOnEveryCluster) {
  ExpectTheFigureOfEvaluate("r2", Target::kNumber, 1e-5);
}

TEST(WatchedFigures, RocAucIsNearEvaluateOnEveryCluster) {
  ExpectTheFigureOfEvaluate("roc_auc", Target::kTwoClasses, 1e-3);
}

TEST(WatchedFigures, AreasOfWeightedClassesAreNearEvaluateOnEveryCluster) {
  ExpectTheFigureOfEvaluate("roc_auc", Target::kThreeWeightedClasses, 1e-3);
  ExpectTheFigureOfEvaluate("average_precision", Target::kThreeWeightedClasses, 5e-3);
}

// The job watches the loss. Its figures are those of evaluate, in the unit of the data.
void ExpectAllFiguresOfEvaluate(Target kind, const std::vector<const char*>& figure_names,
                                double tolerance) {
  const TempFolder folder;
  const std::string job = WriteWatchingJob(folder, "loss", kind), data = folder / "data";
  const Finished run = DlSubmit({"run", "--master", "local[1]", "--data-dir", data, "--json", job});
  ASSERT_EQ(run.exit_code, 0) << run.text << run.errors;
  Json figures;
  for (const Json& line : run.lines)
    if (line.value("type", "") == "epoch") figures = line.value("figures", Json());
  const Finished evaluated =
      DlSubmit({"evaluate", "--data-dir", data, "--json", "watching-1@last"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.text << evaluated.errors;
  const Json& report = evaluated.result();
  const Json& wanted = IsNumber(kind) ? report.at("outputs")[0] : report;
  for (const char* figure : figure_names) {
    ASSERT_TRUE(figures.contains(figure)) << figures;
    const double value = wanted.at(figure).get<double>();
    EXPECT_NEAR(figures.at(figure).get<double>(), value, tolerance * value) << figure;
  }
}

TEST(WatchedFigures, NumbersAreInAllJobs) {
  for (const Target kind : {Target::kNumber, Target::kLargeNumber})
    ExpectAllFiguresOfEvaluate(kind, {"r2", "mse", "mae"}, 1e-5);
}

TEST(WatchedFigures, AreasAreInAllJobs) {
  for (const Target kind : {Target::kTwoClasses, Target::kThreeWeightedClasses})
    ExpectAllFiguresOfEvaluate(kind, {"roc_auc", "average_precision", "macro_f1"}, 5e-3);
}

}  // namespace
}  // namespace dl::test
