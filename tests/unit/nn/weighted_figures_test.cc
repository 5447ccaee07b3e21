// Figures beside the loss, where examples have weights.
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/metrics/agreement.h"
#include "nn/metrics/ranking.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

// Labels, predictions and weights of four examples.
void AddFour(MetricSums& sums) {
  for (const auto& [label, predicted, weight] :
       {std::tuple{0, 0, 0.5}, {0, 1, 2.0}, {1, 1, 3.5}, {2, 1, 0.0}}) {
    sums.AddLoss(0);
    sums.AddPrediction(label, predicted, weight);
  }
}

TEST(WeightedFigures, ByHand) {
  MetricSums sums(3);
  sums.EnableWeights();
  EXPECT_FALSE(sums.has_accuracy());
  AddFour(sums);
  EXPECT_TRUE(sums.has_accuracy());
  EXPECT_DOUBLE_EQ(sums.accuracy(), 4 / 6.0);
  EXPECT_DOUBLE_EQ(sums.Precision(1), 3.5 / 5.5);
  EXPECT_DOUBLE_EQ(sums.Recall(0), 0.5 / 2.5);
  EXPECT_DOUBLE_EQ(FigureOf(sums, "macro_recall"), (0.5 / 2.5 + 1 + 0) / 3)
      << "a class that was met counts whatever its examples weigh";
  EXPECT_EQ(sums.correct(), 2) << "counts stay counts";
  EXPECT_EQ(sums.Confused(2, 1), 1);
}

TEST(WeightedFigures, ExamplesWithoutWeightHaveNoAccuracy) {
  MetricSums sums;
  sums.EnableWeights();
  sums.AddLoss(0);
  sums.AddPrediction(1, 1, 0);
  EXPECT_FALSE(sums.has_accuracy());
  EXPECT_EQ(sums.accuracy(), 0);
}

TEST(WeightedFigures, MergeExactlyInAnyOrderAndWithSumsThatHaveNoWeights) {
  MetricSums weighted(3), plain(3), small(3);
  weighted.EnableWeights();
  small.EnableWeights();
  AddFour(weighted);
  small.AddLoss(0);
  small.AddPrediction(1, 0, 0x1.8p-100);
  for (int i = 0; i < 3; ++i) {
    plain.AddLoss(0);
    plain.AddPrediction(i, 0);
  }
  MetricSums left = weighted, right = plain;
  for (const MetricSums* more : {&plain, &small}) DL_ASSERT_OK(left.Merge(*more));
  for (const MetricSums* more : {&small, &weighted}) DL_ASSERT_OK(right.Merge(*more));
  EXPECT_EQ(left, right);
  EXPECT_DOUBLE_EQ(left.accuracy(), (4 + 1) / (6.0 + 3));
  EXPECT_DOUBLE_EQ(left.Recall(0), (0.5 + 1) / (2.5 + 1));
  MetricSums without_matrix;
  DL_ASSERT_OK(without_matrix.Merge(left));
  EXPECT_EQ(without_matrix, left);
  left.DropFigures();
  EXPECT_DOUBLE_EQ(left.accuracy(), 5 / 9.0);
}

TEST(WeightedFigures, DocumentComesBackAndWrongOnesAreRefused) {
  MetricSums sums(3);
  sums.EnableWeights();
  AddFour(sums);
  const Json right = sums.ToJson();
  const auto read = MetricSums::FromJson(right, "metrics");
  DL_ASSERT_OK(read);
  EXPECT_EQ(*read, sums);
  // In units of 2^-24, four weights of 2^62 are the most.
  const std::string one = absl::StrCat(1 << 24), nine = absl::StrCat(9 << 24),
                    more = "309485009821346168236408832";
  const auto refused = [&](const std::string& pointer, const Json& value) {
    Json json = right;
    json[Json::json_pointer("/weights" + pointer)] = value;
    return !MetricSums::FromJson(json, "metrics").ok();
  };
  EXPECT_FALSE(refused("/all", nine));
  EXPECT_TRUE(refused("/all", more));
  EXPECT_TRUE(refused("/all", one)) << "less than the sum of a class";
  EXPECT_TRUE(refused("/right", nine)) << "more than all";
  EXPECT_TRUE(refused("/right", "-1"));
  EXPECT_TRUE(refused("/right", "007"));
  EXPECT_TRUE(refused("/classes/0", nine)) << "more than all";
  EXPECT_TRUE(refused("/classes/2", nine)) << "more right than labelled";
  EXPECT_TRUE(refused("/classes/2", "-1"));
  EXPECT_TRUE(refused("/classes", std::vector<std::string>(6, "0"))) << "of two classes";
  EXPECT_TRUE(refused("/kind", "1"));
}

TEST(WeightedFigures, WeightsTooLargeForASumOfNumbersHaveNoFigure) {
  MetricSums sums;
  sums.EnableNumbers(1);
  const std::vector<float> prediction{3e9f / 4}, target{0};
  sums.AddLoss(0);
  sums.AddNumbers(prediction, target, 4);
  EXPECT_FALSE(std::isnan(FigureOf(sums, "mse")));
  sums.AddLoss(0);
  sums.AddNumbers(prediction, target, 16);
  EXPECT_TRUE(std::isnan(FigureOf(sums, "mse")));
}

TEST(WeightedFigures, RankingDoesNotDependOnTheOrderOfExamples) {
  std::vector<ScoredExample> examples;
  for (int i = 0; i < 90; ++i)
    examples.push_back({static_cast<float>(i * 7 % 5), i % 3 == 0, 0.1f * static_cast<float>(i)});
  std::vector<ScoredExample> backwards(examples.rbegin(), examples.rend());
  const auto ranking = RankingOf(examples), again = RankingOf(backwards);
  ASSERT_TRUE(ranking && again);
  EXPECT_EQ(ranking->roc_auc, again->roc_auc);
  EXPECT_EQ(ranking->average_precision, again->average_precision);
  std::vector<ScoredExample> no_positive = {{1, true, 0}, {2, false, 1}};
  EXPECT_FALSE(RankingOf(no_positive));
}

TEST(WeightedFigures, AreasOfPerfectScoresAreAtMostOne) {
  for (int count = 2; count < 60; ++count) {
    std::vector<ScoredExample> examples;
    for (int i = 0; i < count; ++i)
      examples.push_back({static_cast<float>(i), 2 * i >= count, 0.1f * static_cast<float>(i + 1)});
    const auto ranking = RankingOf(examples);
    ASSERT_TRUE(ranking) << count;
    EXPECT_LE(ranking->roc_auc, 1) << count;
    EXPECT_NEAR(ranking->roc_auc, 1, 1e-12) << count;
    EXPECT_LE(ranking->average_precision, 1) << count;
    EXPECT_NEAR(ranking->average_precision, 1, 1e-12) << count;
  }
}

struct Judged {
  std::string name;
  InputType input;
  Output output;
  int64_t targets = 0;               // numbers of an example; 0: it has labels
  std::vector<int32_t> labels = {};  // of three examples
  std::vector<std::string> figures;
};

class EvaluatedWeights : public testing::TestWithParam<Judged> {};

// A weight of 3 is the example three times, and one of 0 no example: in every figure but the loss,
// whose mean is over the examples.
TEST_P(EvaluatedWeights, WeightOfThreeIsTheExampleThrice) {
  const Judged& judged = GetParam();
  Sequential sequential("m");
  sequential.Seed(3).Input(judged.input);
  if (judged.input.IsSequence()) sequential.Layer(SimpleRnn(3));
  const auto model = sequential.Layer(judged.output).Build();
  DL_ASSERT_OK(model);
  auto network = Network::Create(*model, {.max_batch = 4});
  DL_ASSERT_OK(network);
  std::vector<float> state = InitialState(*model, 4);
  // Sequences are told to have no classes, as the first example's label says.
  const SegmentTable& table = (*network)->table();
  if (judged.input.IsSequence())
    table.View(*table.Find("output1.bias"), std::span(state)).back() = 100;
  DL_ASSERT_OK((*network)->Load(state));
  const int64_t of_example = judged.input.Elements();
  const auto labels_of_example = static_cast<int64_t>(judged.labels.size()) / 3;

  const auto evaluate = [&](const std::vector<int>& examples, const std::vector<float>& weights) {
    std::vector<float> features, targets;
    std::vector<int32_t> labels;
    for (const int e : examples) {
      for (int64_t i = 0; i < of_example; ++i)
        features.push_back(std::sin(static_cast<float>(5 * e + 3 * i)));
      for (int64_t i = 0; i < judged.targets; ++i)
        targets.push_back(static_cast<float>(judged.targets > 1 ? e + i : e % 2));
      for (int64_t i = 0; i < labels_of_example; ++i)
        labels.push_back(judged.labels[e * labels_of_example + i]);
    }
    MetricSums sums(judged.output.units > 1 && !labels.empty() && labels_of_example < 2 ? 3 : 0);
    if (judged.targets > 0) sums.EnableNumbers(judged.output.units);
    DL_EXPECT_OK((*network)->EvaluateInto({.examples = static_cast<int64_t>(examples.size()),
                                           .features = features,
                                           .labels = labels,
                                           .targets = targets,
                                           .weights = weights},
                                          sums));
    return sums;
  };
  const MetricSums plain = evaluate({0, 1, 2}, {}), thrice = evaluate({0, 2, 2, 2}, {}),
                   weighted = evaluate({0, 1, 2}, {1, 0, 3});
  bool changes = false;
  for (const std::string& figure : judged.figures) {
    EXPECT_NEAR(FigureOf(weighted, figure), FigureOf(thrice, figure), 1e-12) << figure;
    changes = changes || FigureOf(weighted, figure) != FigureOf(plain, figure);
  }
  EXPECT_TRUE(changes) << "weights change none of these: the test shows nothing";
}

INSTANTIATE_TEST_SUITE_P(
    Losses, EvaluatedWeights,
    testing::Values(Judged{.name = "classes",
                           .input = FeedForward(2),
                           .output = Output(3).Loss(SoftmaxCrossEntropy()),
                           .labels = {0, 1, 2},
                           .figures = {"accuracy", "macro_precision", "macro_recall", "macro_f1",
                                       "kappa"}},
                    Judged{.name = "answers",
                           .input = FeedForward(2),
                           .output = Output(1).Loss(BinaryCrossEntropy()),
                           .targets = 1,
                           .figures = {"accuracy"}},
                    Judged{.name = "numbers",
                           .input = FeedForward(2),
                           .output = Output(2).Loss(MeanSquaredError()),
                           .targets = 2,
                           .figures = {"mse", "mae", "r2"}},
                    Judged{.name = "numbers_with_a_factor",  // of the loss, not of the figures
                           .input = FeedForward(2),
                           .output = Output(2).Loss(MeanSquaredError()).LossWeight(0.5),
                           .targets = 2,
                           .figures = {"mse", "mae", "r2"}},
                    Judged{.name = "classes_with_a_factor",
                           .input = FeedForward(2),
                           .output = Output(3).Loss(SoftmaxCrossEntropy()).LossWeight(0.5),
                           .labels = {0, 1, 2},
                           .figures = {"accuracy", "macro_f1"}},
                    Judged{.name = "sequences_of_classes",
                           .input = Sequence(4, 2),
                           .output = Output(3).Loss(Ctc()),
                           .labels = {kNoLabel, kNoLabel, 0, kNoLabel, 1, kNoLabel},
                           .figures = {"accuracy"}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace dl::nn
