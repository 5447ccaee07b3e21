// Curves of ROC and of precision by recall, compared with their definitions.
#include "nn/metrics/score_curve.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace dl::nn {
namespace {

// The area under the ROC curve, in straight lines from (0, 0).
double RocArea(const std::vector<CurvePoint>& points) {
  double area = 0, x = 0, y = 0;
  for (const CurvePoint& point : points) {
    area += (point.false_positive_rate - x) * (point.recall + y) / 2;
    x = point.false_positive_rate;
    y = point.recall;
  }
  return area;
}

// The area under the steps of precision by recall.
double StepArea(const std::vector<CurvePoint>& points) {
  double area = 0, recall = 0;
  for (const CurvePoint& point : points) {
    area += (point.recall - recall) * point.precision.value();
    recall = point.recall;
  }
  return area;
}

// Scores that separate the positives partly, with ties and weights.
std::vector<ScoredExample> DrawExamples(int count, int scores) {
  std::vector<ScoredExample> examples;
  uint32_t random = 5;
  for (int i = 0; i < count; ++i) {
    random = random * 1664525 + 1013904223;
    const bool positive = (random >> 20) % 4 == 0;
    const auto drawn = static_cast<float>((random >> 8) % static_cast<uint32_t>(scores));
    examples.push_back({.score = (drawn + (positive ? 0.3f * static_cast<float>(scores) : 0)) /
                                 (1.3f * static_cast<float>(scores)),
                        .positive = positive,
                        .weight = static_cast<float>(i % 3)});
  }
  return examples;
}

// The example in the documentation of roc_curve and precision_recall_curve of scikit-learn.
TEST(ScoreCurve, PointsAreThoseOfScikitLearn) {
  std::vector<ScoredExample> examples = {{.1f, false}, {.4f, false}, {.35f, true}, {.8f, true}};
  ASSERT_TRUE(RankingOf(examples));
  const std::vector<CurvePoint> points = ScoreCurve(examples).Points(200);
  const std::vector<CurvePoint> expected = {
      {.8f, 0.5, 0, 1}, {.4f, 0.5, 0.5, 0.5}, {.35f, 1, 0.5, 2.0 / 3}, {.1f, 1, 1, 0.5}};
  EXPECT_EQ(points, expected);
}

TEST(ScoreCurve, PointsFollowTheirDefinition) {
  std::vector<ScoredExample> examples = DrawExamples(400, 23);
  ASSERT_TRUE(RankingOf(examples));
  const ScoreCurve curve(examples);
  const std::vector<CurvePoint> points = curve.Points(1000);
  ASSERT_GT(points.size(), 20u);
  for (const CurvePoint& point : points) {
    double positives = 0, others = 0, true_positives = 0, false_positives = 0;
    for (const ScoredExample& example : examples) {
      const double weight = example.weight;
      (example.positive ? positives : others) += weight;
      if (example.score < point.threshold) continue;
      (example.positive ? true_positives : false_positives) += weight;
    }
    EXPECT_DOUBLE_EQ(point.recall, true_positives / positives);
    EXPECT_DOUBLE_EQ(point.false_positive_rate, false_positives / others);
    EXPECT_DOUBLE_EQ(point.precision.value(), true_positives / (true_positives + false_positives));
    EXPECT_EQ(curve.At(point.threshold), point);
  }
}

TEST(ScoreCurve, AreasOfAllPointsAreThoseOfTheRanking) {
  std::vector<ScoredExample> examples = DrawExamples(500, 40);
  const auto ranking = RankingOf(examples);
  ASSERT_TRUE(ranking);
  const std::vector<CurvePoint> points = ScoreCurve(examples).Points(1000);
  EXPECT_NEAR(RocArea(points), ranking->roc_auc, 1e-12);
  EXPECT_NEAR(StepArea(points), ranking->average_precision, 1e-12);
}

TEST(ScoreCurve, FewPointsKeepEndsAndAreas) {
  std::vector<ScoredExample> examples = DrawExamples(20'000, 1'000'000);
  const auto ranking = RankingOf(examples);
  ASSERT_TRUE(ranking);
  const ScoreCurve curve(examples);
  const std::vector<CurvePoint> all = curve.Points(1'000'000);
  ASSERT_GT(all.size(), 5'000u);
  for (const size_t most : {200, 50, 2}) {
    const std::vector<CurvePoint> points = curve.Points(most);
    ASSERT_EQ(points.size(), most);
    EXPECT_EQ(points.front(), all.front());
    EXPECT_EQ(points.back(), all.back());
    EXPECT_EQ(points.back().recall, 1);
    EXPECT_EQ(points.back().false_positive_rate, 1);
    for (size_t i = 1; i < points.size(); ++i)
      EXPECT_LT(points[i].threshold, points[i - 1].threshold);
    if (most == 2) continue;
    EXPECT_NEAR(RocArea(points), ranking->roc_auc, 1.0 / static_cast<double>(most));
    EXPECT_NEAR(StepArea(points), ranking->average_precision, 2.0 / static_cast<double>(most));
  }
}

TEST(ScoreCurve, ThresholdAboveAllScoresHasNoPrecision) {
  std::vector<ScoredExample> examples = {{.2f, false}, {.6f, true}, {.9f, true, 0}};
  ASSERT_TRUE(RankingOf(examples));
  const ScoreCurve curve(examples);
  EXPECT_EQ(curve.At(0.7f), (CurvePoint{.threshold = 0.7f})) << "the weight of 0.9 is 0";
  EXPECT_EQ(curve.At(0), (CurvePoint{0, 1, 1, 0.5}));
}

}  // namespace
}  // namespace dl::nn
