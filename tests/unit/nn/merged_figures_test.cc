// Figures of evaluations on a cluster: sums that merge exactly, in any order and grouping.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/json.h"
#include "base/limits.h"
#include "base/philox.h"
#include "gtest/gtest.h"
#include "nn/conf/sequential.h"
#include "nn/metrics/agreement.h"
#include "nn/metrics/number_report.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

struct Regression {
  std::vector<float> predictions, targets;  // [rows, 2]
};

// Targets far from 0: their variance is the small difference of two large sums.
Regression DrawnRegression(int64_t rows) {
  RandomStream random({.seed = 3, .purpose = RandomPurpose::kForTests});
  Regression drawn;
  for (int64_t i = 0; i < 2 * rows; ++i) {
    drawn.targets.push_back(static_cast<float>(100000 + random.NextNormal()));
    drawn.predictions.push_back(drawn.targets.back() + static_cast<float>(random.NextNormal()) / 4);
  }
  return drawn;
}

MetricSums SumsOf(const Regression& drawn, size_t begin, size_t end) {
  MetricSums sums;
  sums.EnableNumbers(2);
  for (size_t row = begin; row < end; ++row) {
    sums.AddLoss(0);
    sums.AddNumbers(std::span(drawn.predictions).subspan(2 * row, 2),
                    std::span(drawn.targets).subspan(2 * row, 2));
  }
  return sums;
}

TEST(MergedFigures, NumbersAreThoseOfOneReport) {
  constexpr int64_t kRows = 500;
  const Regression drawn = DrawnRegression(kRows);
  NumberReport report(2);
  report.Add(drawn.predictions, drawn.targets);
  const MetricSums whole = SumsOf(drawn, 0, kRows);
  const auto mean = [](double a, double b) { return (a + b) / 2; };
  EXPECT_NEAR(FigureOf(whole, "mse"), mean(report.MeanSquaredError(0), report.MeanSquaredError(1)),
              1e-12);
  EXPECT_NEAR(FigureOf(whole, "mae"),
              mean(report.MeanAbsoluteError(0), report.MeanAbsoluteError(1)), 1e-12);
  EXPECT_NEAR(FigureOf(whole, "r2"), mean(report.R2(0), report.R2(1)), 1e-9);

  MetricSums merged = SumsOf(drawn, 301, kRows);
  for (const auto& [begin, end] : {std::pair{7, 301}, {0, 7}})
    DL_ASSERT_OK(merged.Merge(SumsOf(drawn, begin, end)));
  EXPECT_EQ(merged, whole);
  EXPECT_EQ(merged.ToJson().dump(), whole.ToJson().dump());
  const auto read = MetricSums::FromJson(whole.ToJson(), "metrics");
  DL_ASSERT_OK(read);
  EXPECT_EQ(*read, whole);
}

TEST(MergedFigures, NumbersThatNoSumHoldsHaveNoFigure) {
  MetricSums sums;
  sums.EnableNumbers(1);
  const std::vector<float> large{4e9f}, small{1};
  sums.AddLoss(0);
  sums.AddNumbers(small, small);
  EXPECT_EQ(FigureOf(sums, "mae"), 0);
  EXPECT_TRUE(std::isnan(FigureOf(sums, "r2"))) << "all targets are equal";
  sums.AddLoss(0);
  sums.AddNumbers(small, large);
  EXPECT_TRUE(std::isnan(FigureOf(sums, "mae")));
  MetricSums two;
  two.EnableNumbers(2);
  EXPECT_FALSE(sums.Merge(two).ok());
}

std::vector<ScoredExample> DrawnScores(int64_t count) {
  RandomStream random({.seed = 4, .purpose = RandomPurpose::kForTests});
  std::vector<ScoredExample> drawn;
  for (int64_t i = 0; i < count; ++i) {
    const double p = 1 / (1 + std::exp(-4 * random.NextNormal()));
    drawn.push_back({static_cast<float>(p), random.NextDouble() < p});
  }
  return drawn;
}

MetricSums SumsOf(std::span<const ScoredExample> examples) {
  MetricSums sums;
  sums.EnableScores(1);
  for (size_t i = 0; i < examples.size(); ++i) sums.AddLoss(0);
  sums.AddScores(0, examples);
  return sums;
}

TEST(MergedFigures, AreasAreNearThoseOfUnroundedScores) {
  std::vector<ScoredExample> drawn = DrawnScores(4000);
  const MetricSums whole = SumsOf(drawn);
  MetricSums merged = SumsOf(std::span(drawn).subspan(1000));
  DL_ASSERT_OK(merged.Merge(SumsOf(std::span(drawn).first(1000))));
  EXPECT_EQ(merged, whole);
  const auto read = MetricSums::FromJson(whole.ToJson(), "metrics");
  DL_ASSERT_OK(read);
  EXPECT_EQ(*read, whole);
  const Ranking exact = *RankingOf(drawn);
  EXPECT_NEAR(FigureOf(whole, "roc_auc"), exact.roc_auc, 1e-3);
  EXPECT_NEAR(FigureOf(whole, "average_precision"), exact.average_precision, 3e-3);
}

// The loss of an example with probability NaN counts as not finite.
TEST(MergedFigures, ScoreThatIsNaNLeavesDocumentReadable) {
  MetricSums sums = SumsOf(DrawnScores(20));
  EXPECT_FALSE(std::isnan(FigureOf(sums, "roc_auc")));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  sums.AddLoss(nan);
  const ScoredExample example{static_cast<float>(nan), true};
  sums.AddScores(0, {&example, 1});
  EXPECT_TRUE(std::isnan(FigureOf(sums, "roc_auc")));
  DL_EXPECT_OK(MetricSums::FromJson(sums.ToJson(), "metrics"));
}

TEST(MergedFigures, ScoresAtTheEndsAreInTheFirstAndLastClass) {
  std::vector<ScoredExample> examples;
  for (const float p : {0.0f, 0x1.0p-65f, 0x1.0p-64f, 0.5f, 1.0f, 1.5f})
    examples.push_back({p, true});
  const MetricSums sums = SumsOf(examples);
  constexpr int64_t kLast = limits::kMaxAnnouncedScores - 1;
  EXPECT_EQ(sums.scores()->ToList(),
            (std::vector<int64_t>{0, 2, 0, 1, 1, 0, kLast / 2, 1, 0, kLast, 2, 0}));
}

// Distinct scores fall into distinct buckets: multiples of 1/64, and scores close to 0 and 1.
TEST(MergedFigures, AreasAreExactForRoundedScores) {
  RandomStream random({.seed = 5, .purpose = RandomPurpose::kForTests});
  std::vector<ScoredExample> drawn;
  for (int i = 0; i < 300; ++i)
    drawn.push_back({static_cast<float>(random.Bounded(65)) / 64, random.Bounded(3) == 0});
  for (const float near : {0x1.0p-20f, 0x1.02p-20f, 1 - 0x1.0p-20f, 1 - 0x1.02p-17f})
    drawn.push_back({near, random.Bounded(2) == 0});
  const MetricSums sums = SumsOf(drawn);
  const Ranking exact = *RankingOf(drawn);
  EXPECT_DOUBLE_EQ(FigureOf(sums, "roc_auc"), exact.roc_auc);
  EXPECT_DOUBLE_EQ(FigureOf(sums, "average_precision"), exact.average_precision);
}

// Scores of `outputs` outputs, [example][output], with weights that are multiples of 1/8.
struct DrawnOutputs {
  std::vector<std::vector<ScoredExample>> of_output;
};
DrawnOutputs DrawOutputs(int64_t outputs, int64_t count) {
  RandomStream random({.seed = 6, .purpose = RandomPurpose::kForTests});
  DrawnOutputs drawn{std::vector<std::vector<ScoredExample>>(outputs)};
  for (int64_t i = 0; i < count; ++i) {
    const float weight = static_cast<float>(random.Bounded(24)) / 8;
    for (auto& examples : drawn.of_output) {
      const double p = 1 / (1 + std::exp(-4 * random.NextNormal()));
      const bool positive = random.NextDouble() < p;
      const float factor = positive == (p > 0.5) ? 1 : 3;  // areas without weights are larger
      examples.push_back({static_cast<float>(p), positive, factor * weight});
    }
  }
  return drawn;
}
MetricSums SumsOf(const DrawnOutputs& drawn, size_t begin, size_t end, bool weighted) {
  MetricSums sums;
  if (weighted) sums.EnableWeights();
  sums.EnableScores(std::ssize(drawn.of_output));
  for (size_t i = begin; i < end; ++i) sums.AddLoss(0);
  for (size_t o = 0; o < drawn.of_output.size(); ++o)
    sums.AddScores(static_cast<int64_t>(o),
                   std::span(drawn.of_output[o]).subspan(begin, end - begin));
  return sums;
}

TEST(MergedFigures, AreasOfSeveralOutputsAreMeans) {
  for (const bool weighted : {false, true}) {
    for (const int64_t outputs : {1, 2, 3, 10, 64}) {
      constexpr size_t kCount = 2000;
      DrawnOutputs drawn = DrawOutputs(outputs, kCount);
      const MetricSums whole = SumsOf(drawn, 0, kCount, weighted);
      MetricSums merged = SumsOf(drawn, 1500, kCount, weighted);
      for (const auto& [begin, end] : {std::pair{3, 1500}, {0, 3}})
        DL_ASSERT_OK(merged.Merge(SumsOf(drawn, begin, end, weighted)));
      EXPECT_EQ(merged, whole);
      EXPECT_EQ(merged.ToJson().dump(), whole.ToJson().dump());
      const auto read = MetricSums::FromJson(whole.ToJson(), "metrics");
      DL_ASSERT_OK(read);
      EXPECT_EQ(*read, whole);
      double roc_auc = 0, precision = 0;
      for (std::vector<ScoredExample>& examples : drawn.of_output) {
        if (!weighted)
          for (ScoredExample& example : examples) example.weight = 1;
        const Ranking exact = *RankingOf(examples);
        roc_auc += exact.roc_auc / static_cast<double>(outputs);
        precision += exact.average_precision / static_cast<double>(outputs);
      }
      EXPECT_NEAR(FigureOf(whole, "roc_auc"), roc_auc, 2e-3) << outputs;
      EXPECT_NEAR(FigureOf(whole, "average_precision"), precision, 1e-2) << outputs;
    }
  }
}

TEST(MergedFigures, OutputsWithoutBothAnswersHaveNoPartInTheMean) {
  MetricSums sums;
  sums.EnableScores(3);
  for (int i = 0; i < 4; ++i) sums.AddLoss(0);
  const std::vector<ScoredExample> ranked{{0.9f, true}, {0.1f, false}}, all{{0.9f, true}};
  sums.AddScores(0, all);
  EXPECT_TRUE(std::isnan(FigureOf(sums, "roc_auc")));
  sums.AddScores(1, ranked);
  EXPECT_EQ(FigureOf(sums, "roc_auc"), 1);
}

TEST(MergedFigures, WeightsOfAnySizeGiveAreas) {
  MetricSums sums;
  sums.EnableWeights();
  sums.EnableScores(1);
  for (int i = 0; i < 3; ++i) sums.AddLoss(0);
  const std::vector<ScoredExample> examples{{0.9f, true, 1e30f}, {0.5f, false, 1e30f}};
  for (int i = 0; i < 600; ++i) sums.AddScores(0, examples);
  EXPECT_EQ(FigureOf(sums, "roc_auc"), 1);
  MetricSums merged = sums;
  DL_ASSERT_OK(merged.Merge(sums));
  EXPECT_EQ(FigureOf(merged, "roc_auc"), 1);
}

TEST(MergedFigures, ExamplesWithoutWeightsCountOneBesideOthers) {
  const std::vector<ScoredExample> light{{0.9f, true}, {0.2f, false}}, heavy{{0.1f, true, 3}};
  MetricSums weighted;
  weighted.EnableWeights();
  weighted.EnableScores(1);
  weighted.AddScores(0, heavy);
  MetricSums one = SumsOf(light), other = weighted;
  DL_ASSERT_OK(one.Merge(weighted));
  DL_ASSERT_OK(other.Merge(SumsOf(light)));
  EXPECT_EQ(one, other);
  EXPECT_DOUBLE_EQ(FigureOf(one, "roc_auc"), 0.25) << "a pair of weight 1 of four";
  MetricSums later = SumsOf(light);
  later.EnableWeights();
  later.AddScores(0, heavy);
  EXPECT_EQ(*later.scores(), *one.scores());
}

TEST(MergedFigures, InvalidDocumentsAreRefused) {
  MetricSums sums = SumsOf(DrawnScores(3));
  sums.EnableNumbers(1);
  const Json right = sums.ToJson();
  DL_ASSERT_OK(MetricSums::FromJson(right, "metrics"));
  const auto refused = [&](const std::string& pointer, const Json& value) {
    Json json = right;
    json[Json::json_pointer(pointer)] = value;
    return !MetricSums::FromJson(json, "metrics").ok();
  };
  EXPECT_TRUE(refused("/scores", {5, 1}));
  EXPECT_TRUE(refused("/scores", {5, 1, 0, 5, 1, 0})) << "not ascending";
  EXPECT_TRUE(refused("/scores", {5, 0, 0}));
  EXPECT_FALSE(refused("/scores", {limits::kMaxAnnouncedScores - 1, 1, 0}));
  EXPECT_TRUE(refused("/scores", {limits::kMaxAnnouncedScores, 1, 0}));
  EXPECT_TRUE(refused("/scores", {5, 2, 2})) << "more than the examples";
  EXPECT_TRUE(refused("/scores", {5, -1, 2}));
  EXPECT_TRUE(refused("/scores", {5, std::numeric_limits<int64_t>::max(), 2}));
  EXPECT_TRUE(refused("/score_outputs", 0));
  EXPECT_TRUE(refused("/score_outputs", limits::kMaxAnnouncedScoreOutputs + 1));
  EXPECT_TRUE(refused("/numbers/sums", {"0", "0", "0"}));
  EXPECT_TRUE(refused("/numbers/sums", {"0", "0", "0", "x"}));
  EXPECT_TRUE(refused("/numbers/sums", std::vector<std::string>(4 * 65, "0")));
  EXPECT_TRUE(refused("/numbers/beyond", -1));
  EXPECT_FALSE(refused("/numbers/beyond", 3));
  EXPECT_TRUE(refused("/numbers/beyond", 4)) << "more than three examples have";
  // A sum of three terms of 2^62 is the maximum. The text counts in units of 2^-24.
  const std::string most = "232113757366008801543585792", more = "232113757366009901055213568";
  EXPECT_FALSE(refused("/numbers/sums", {most, "1", "1", most}));
  EXPECT_FALSE(refused("/numbers/sums", {"-" + most, "1", "1", most}));
  EXPECT_TRUE(refused("/numbers/sums", {more, "1", "1", most}));
  EXPECT_TRUE(refused("/numbers/sums", {most, "-1", "1", most}));
  EXPECT_TRUE(refused("/numbers/sums", {most, "1", "-1", most}));
  EXPECT_TRUE(refused("/numbers/sums", {most, "1", "1", more}));
  EXPECT_TRUE(refused("/numbers/sums", {most, "1", "1", "-1"}));
  EXPECT_FALSE(refused("/numbers/weight", most));
  EXPECT_TRUE(refused("/numbers/weight", more));
  EXPECT_TRUE(refused("/numbers/weight", "-1"));
  EXPECT_TRUE(refused("/numbers/weight", "x"));
}

// A peer may announce any counts. These bound the memory that they take, and their part in the sum.
TEST(MergedFigures, WeightedScoresBeyondTheExamplesAreRefused) {
  MetricSums sums;
  sums.EnableWeights();
  sums.EnableScores(3);
  for (int i = 0; i < 2; ++i) sums.AddLoss(0);
  const auto is_read = [&](const std::vector<int64_t>& list) {
    Json json = sums.ToJson();
    json["scores"] = list;
    return MetricSums::FromJson(json, "metrics").ok();
  };
  constexpr int64_t kMostOfOne = int64_t{1} << 54;
  const int64_t second = ScoreCounts::ScoresOf(3);
  EXPECT_TRUE(is_read({0, kMostOfOne, 0, 1, 0, kMostOfOne, second, 2 * kMostOfOne, 0}));
  EXPECT_FALSE(is_read({0, kMostOfOne, 0, 1, 0, kMostOfOne + 1}));
  EXPECT_FALSE(is_read({0, 1, 0, second, 2 * kMostOfOne, 1}));
  EXPECT_FALSE(is_read({0, 1, 0, 1, 1, 0, 2, 1, 0})) << "three cells of two examples";
  EXPECT_TRUE(is_read({0, 1, 0, 1, 1, 0, second, 1, 0, second + 1, 1, 0}));
  EXPECT_FALSE(is_read({3 * second, 1, 0})) << "no such output";
}

TEST(MergedFigures, ErrorsAreInTheUnitOfTheData) {
  MetricSums sums;
  sums.EnableNumbers(2);
  for (int i = 0; i < 2; ++i) sums.AddLoss(0);
  sums.AddNumbers(std::vector<float>{1, 2}, std::vector<float>{0, 2});
  sums.AddNumbers(std::vector<float>{1, 2}, std::vector<float>{1, 5});
  EXPECT_EQ(FigureOf(sums, "mae"), (0.5 + 1.5) / 2);
  EXPECT_EQ(FigureOf(sums, "mse"), (0.5 + 4.5) / 2);
  const std::vector<double> units{10, 0.5};
  EXPECT_EQ(FigureOf(sums, "mae", units), (5 + 0.75) / 2);
  EXPECT_EQ(FigureOf(sums, "mse", units), (50 + 1.125) / 2);
  EXPECT_EQ(FigureOf(sums, "r2", units), FigureOf(sums, "r2"));
}

// A network of three classes and a network of two answers count scores of each.
TEST(MergedFigures, EvaluationAddsScoresOfEachOutput) {
  const auto sums_of = [](const Output& output, const Minibatch& batch, MetricSums sums) {
    auto model = Sequential("m").Input(FeedForward(1)).Layer(output).Build();
    EXPECT_THAT(model, test::IsOk());
    auto network = Network::Create(*model, {.max_batch = batch.examples});
    EXPECT_THAT(network, test::IsOk());
    std::vector<float> state((*network)->table().size(), 0.0f);
    state[0] = 1;  // the weight of the first output
    DL_EXPECT_OK((*network)->Load(state));
    DL_EXPECT_OK((*network)->EvaluateInto(batch, sums));
    return sums;
  };
  const std::vector<float> features{1, 2, 3, 4}, weights{1, 1, 2, 0};
  const std::vector<int32_t> labels{0, 1, 0, 2};
  MetricSums classes(3);
  classes.EnableScores(3);
  classes = sums_of(Output(3).Loss(SoftmaxCrossEntropy()),
                    {.examples = 4, .features = features, .labels = labels}, classes);
  // Class 0: 2 of 4 pairs; class 1: probabilities fall, 2 of 3; class 2: 0 of 3.
  EXPECT_DOUBLE_EQ(FigureOf(classes, "roc_auc"), (1.0 / 4 + 2.0 / 3 + 0) / 3);
  MetricSums weighted(3);
  weighted.EnableScores(3);
  weighted = sums_of(Output(3).Loss(SoftmaxCrossEntropy()),
                     {.examples = 4, .features = features, .labels = labels, .weights = weights},
                     weighted);
  EXPECT_DOUBLE_EQ(FigureOf(weighted, "roc_auc"), (2.0 / 3 + 2.0 / 3) / 2);

  const std::vector<float> targets{0, 1, 1, 0.5f, 0, 0, 1, 1};
  MetricSums answers;
  answers.EnableScores(2);
  answers = sums_of(Output(2).Loss(BinaryCrossEntropy()),
                    {.examples = 4, .features = features, .targets = targets}, answers);
  EXPECT_DOUBLE_EQ(FigureOf(answers, "roc_auc"), (3.0 / 4 + 1.0 / 2) / 2);
}

// The network adds the figures that the sums request, for rows that count.
TEST(MergedFigures, EvaluationAddsThem) {
  auto numbers = Sequential("m").Input(FeedForward(1)).Layer(Output(1).Loss(Huber())).Build();
  ASSERT_THAT(numbers, test::IsOk());
  auto network = Network::Create(*numbers, {.max_batch = 3});
  ASSERT_THAT(network, test::IsOk());
  std::vector<float> state((*network)->table().size(), 0.0f);
  state[0] = 2;  // the weight
  DL_ASSERT_OK((*network)->Load(state));
  const std::vector<float> x{1, 2, 3}, targets{2, 4, 7};
  MetricSums sums;
  sums.EnableNumbers(1);
  DL_ASSERT_OK((*network)->EvaluateInto({.examples = 3, .features = x, .targets = targets}, sums));
  EXPECT_DOUBLE_EQ(FigureOf(sums, "mae"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(FigureOf(sums, "r2"), 1 - 1 / (69 - 169.0 / 3));

  auto classes =
      Sequential("m").Input(FeedForward(1)).Layer(Output(2).Loss(SoftmaxCrossEntropy())).Build();
  ASSERT_THAT(classes, test::IsOk());
  network = Network::Create(*classes, {.max_batch = 4});
  ASSERT_THAT(network, test::IsOk());
  state.assign((*network)->table().size(), 0.0f);
  state[1] = 1;  // the weight of the second class
  DL_ASSERT_OK((*network)->Load(state));
  const std::vector<float> features{1, 2, 3, 4};
  const std::vector<int32_t> labels{0, 1, kNoLabel, 0};
  MetricSums scores(2);
  scores.EnableScores(1);
  DL_ASSERT_OK(
      (*network)->EvaluateInto({.examples = 4, .features = features, .labels = labels}, scores));
  using enum ScoreCounts::Unit;
  EXPECT_TRUE(scores.scores()->ArePossible(3, kExamples));
  EXPECT_FALSE(scores.scores()->ArePossible(2, kExamples)) << "three rows have labels";
  EXPECT_EQ(FigureOf(scores, "roc_auc"), 0.5);
}

}  // namespace
}  // namespace dl::nn
