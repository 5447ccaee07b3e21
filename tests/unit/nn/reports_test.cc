// Reports about a model's predictions, compared with figures computed by hand and with slow
// implementations of the definitions.
#include <cmath>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/metrics/agreement.h"
#include "nn/metrics/best_path.h"
#include "nn/metrics/binary_report.h"
#include "nn/metrics/class_report.h"
#include "nn/metrics/number_report.h"
#include "nn/metrics/ranking.h"
#include "nn/metrics/sequence_report.h"

namespace dl::nn {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

MetricSums Confusion(const std::vector<std::vector<int>>& counts) {
  MetricSums sums(static_cast<int64_t>(counts.size()));
  for (size_t c = 0; c < counts.size(); ++c) {
    for (size_t p = 0; p < counts.size(); ++p) {
      for (int i = 0; i < counts[c][p]; ++i)
        sums.AddPrediction(static_cast<int64_t>(c), static_cast<int64_t>(p));
    }
  }
  return sums;
}

TEST(Agreement, TwoClassesMatchExampleByHand) {
  // p = 35/50, e = (25 * 30 + 25 * 20) / 50^2 = 1/2.
  const Agreement agreement = AgreementOf(Confusion({{20, 5}, {10, 15}}));
  EXPECT_NEAR(agreement.kappa, 0.4, 1e-15);
  EXPECT_NEAR(agreement.mcc, (20.0 * 15 - 5 * 10) / std::sqrt(30.0 * 25 * 25 * 20), 1e-15);
  EXPECT_NEAR(agreement.macro_precision, (20.0 / 30 + 15.0 / 20) / 2, 1e-15);
  EXPECT_NEAR(agreement.macro_recall, (20.0 / 25 + 15.0 / 25) / 2, 1e-15);
  EXPECT_NEAR(agreement.macro_f1, (40.0 / 55 + 30.0 / 45) / 2, 1e-15);
  EXPECT_NEAR(agreement.mean_iou, (20.0 / 35 + 15.0 / 30) / 2, 1e-15);
}

TEST(Agreement, FiguresHaveNames) {
  const MetricSums sums = Confusion({{20, 5}, {10, 15}});
  EXPECT_EQ(FigureOf(sums, "accuracy"), sums.accuracy());
  EXPECT_EQ(FigureOf(sums, "macro_f1"), AgreementOf(sums).macro_f1);
  EXPECT_EQ(FigureOf(sums, "macro_precision"), AgreementOf(sums).macro_precision);
  EXPECT_EQ(FigureOf(sums, "macro_recall"), AgreementOf(sums).macro_recall);
  EXPECT_EQ(FigureOf(sums, "kappa"), AgreementOf(sums).kappa);
  EXPECT_EQ(FigureOf(sums, "mcc"), AgreementOf(sums).mcc);
  EXPECT_TRUE(std::isnan(FigureOf(sums, "roc_auc")));
  EXPECT_TRUE(std::isnan(FigureOf(MetricSums(), "macro_f1")));
  MetricSums loss;
  loss.AddLoss(2);
  EXPECT_EQ(FigureOf(loss, "loss"), 2);
}

TEST(Agreement, MccIsTheCorrelationOfIndicators) {
  const std::vector<std::vector<int>> counts = {{7, 1, 2}, {0, 5, 3}, {4, 2, 9}};
  double all = 0;
  std::vector<double> labelled(3), predicted(3);
  for (int c = 0; c < 3; ++c) {
    for (int p = 0; p < 3; ++p) {
      all += counts[c][p];
      labelled[c] += counts[c][p];
      predicted[p] += counts[c][p];
    }
  }
  // The covariance of two indicators is E[xy] - E[x] E[y].
  double xy = 0, xx = 0, yy = 0;
  for (int k = 0; k < 3; ++k) {
    const double x = labelled[k] / all, y = predicted[k] / all;
    xy += counts[k][k] / all - x * y;
    xx += x - x * x;
    yy += y - y * y;
  }
  EXPECT_NEAR(AgreementOf(Confusion(counts)).mcc, xy / std::sqrt(xx * yy), 1e-14);
}

TEST(Agreement, PerfectOppositeAndWithoutAValue) {
  const Agreement perfect = AgreementOf(Confusion({{3, 0, 0}, {0, 2, 0}, {0, 0, 4}}));
  EXPECT_DOUBLE_EQ(perfect.kappa, 1);
  EXPECT_DOUBLE_EQ(perfect.mcc, 1);
  EXPECT_DOUBLE_EQ(perfect.macro_f1, 1);
  EXPECT_DOUBLE_EQ(AgreementOf(Confusion({{0, 3}, {3, 0}})).mcc, -1);
  const Agreement one_class = AgreementOf(Confusion({{5, 0}, {0, 0}}));
  EXPECT_EQ(one_class.kappa, 0);
  EXPECT_EQ(one_class.mcc, 0);
  EXPECT_EQ(one_class.macro_recall, 1) << "of the class that was met";
  EXPECT_EQ(AgreementOf(MetricSums(3)).macro_f1, 0);
}

TEST(BestPath, CollapsesWhatIsEqualAndDropsBlanks) {
  const auto told = [](const std::vector<int>& largest) {
    std::vector<float> outputs;
    for (const int k : largest) {
      for (int i = 0; i < 3; ++i) outputs.push_back(i == k ? 0.6f : 0.2f);
    }
    return BestPath(outputs, 3);
  };
  EXPECT_THAT(told({0, 0, 2, 0, 1, 1, 2}), testing::ElementsAre(0, 0, 1));
  EXPECT_THAT(told({2, 1}), testing::ElementsAre(1));
  EXPECT_THAT(told({2, 2}), testing::IsEmpty());
  EXPECT_THAT(told({}), testing::IsEmpty());
  EXPECT_THAT(BestPath(std::vector<float>{0.5f, 0, 0.5f}, 3), testing::ElementsAre(0))
      << "the first";
  EXPECT_THAT(SequenceOf(std::vector<int32_t>{}), testing::IsEmpty());
  EXPECT_EQ(SequenceOf(std::vector<int32_t>{4, 5, -1, -1}).size(), 2u);
  EXPECT_EQ(SequenceOf(std::vector<int32_t>{-1, -1}).size(), 0u);
  EXPECT_EQ(SequenceOf(std::vector<int32_t>{4, 5}).size(), 2u);
}

TEST(SequenceReport, CountsTheFewestEdits) {
  const auto rate = [](const std::vector<int32_t>& predicted, const std::vector<int32_t>& labels) {
    SequenceReport report;
    report.Add(predicted, labels);
    EXPECT_EQ(report.has_labels(), !labels.empty());
    return report.LabelErrorRate();
  };
  EXPECT_EQ(rate({1, 2, 3}, {1, 2, 3}), 0);
  EXPECT_EQ(rate({}, {1, 2, 3}), 1);
  EXPECT_EQ(rate({1, 3}, {1, 2, 3}), 1.0 / 3);
  EXPECT_EQ(rate({1, 4, 2, 3}, {1, 2, 3}), 1.0 / 3);
  EXPECT_EQ(rate({1, 9, 3}, {1, 2, 3}), 1.0 / 3);
  EXPECT_EQ(rate({5, 6, 7, 8}, {1}), 4);
  EXPECT_EQ(rate({2, 3, 1}, {1, 2, 3}), 2.0 / 3) << "dropped here, inserted there";
  SequenceReport all;
  all.Add(std::vector<int32_t>{1}, std::vector<int32_t>{1, 2});
  all.Add(std::vector<int32_t>{7}, std::vector<int32_t>{});
  all.Add(std::vector<int32_t>{3, 3}, std::vector<int32_t>{3, 3});
  EXPECT_EQ(all.LabelErrorRate(), 2.0 / 4) << "of all labels, one class that none is of";
}

TEST(Ranking, ByHand) {
  std::vector<ScoredExample> examples = {{.1f, false}, {.4f, false}, {.35f, true}, {.8f, true}};
  const auto ranking = RankingOf(examples);
  ASSERT_TRUE(ranking);
  EXPECT_DOUBLE_EQ(ranking->roc_auc, 0.75) << "3 of 4 pairs";
  // Recall rises by 1/2 at .8 (precision 1) and at .35 (precision 2/3).
  EXPECT_DOUBLE_EQ(ranking->average_precision, 0.5 * 1 + 0.5 * (2.0 / 3));
}

TEST(Ranking, AreaIsShareOfPairsWithTiesAsHalves) {
  std::vector<ScoredExample> examples;
  uint32_t random = 1;
  for (int i = 0; i < 300; ++i) {
    random = random * 1664525 + 1013904223;
    const bool positive = (random >> 20) % 3 == 0;
    examples.push_back({static_cast<float>((random >> 8) % 17 + (positive ? 4 : 0)), positive});
  }
  double right = 0, pairs = 0;
  for (const auto& a : examples) {
    for (const auto& b : examples) {
      if (!a.positive || b.positive) continue;
      pairs += 1;
      right += a.score > b.score ? 1 : a.score == b.score ? 0.5 : 0;
    }
  }
  const std::vector<ScoredExample> backwards(examples.rbegin(), examples.rend());
  std::vector<ScoredExample> other_order = backwards;
  const auto ranking = RankingOf(examples), again = RankingOf(other_order);
  ASSERT_TRUE(ranking && again);
  EXPECT_NEAR(ranking->roc_auc, right / pairs, 1e-12);
  EXPECT_EQ(ranking->roc_auc, again->roc_auc);
  EXPECT_EQ(ranking->average_precision, again->average_precision);
}

TEST(Ranking, OneKindOrNonFiniteHasNoValue) {
  std::vector<ScoredExample> one_kind = {{.1f, true}, {.2f, true}};
  EXPECT_FALSE(RankingOf(one_kind));
  std::vector<ScoredExample> no_number = {{.1f, true}, {kNaN, false}};
  EXPECT_FALSE(RankingOf(no_number));
  EXPECT_FALSE(RankingOf({}));
  std::vector<ScoredExample> all_alike = {{.5f, true}, {.5f, false}, {.5f, false}};
  EXPECT_DOUBLE_EQ(RankingOf(all_alike)->roc_auc, 0.5);
  EXPECT_DOUBLE_EQ(RankingOf(all_alike)->average_precision, 1.0 / 3);
}

TEST(ClassReport, ByHand) {
  ClassReport report(3);
  report.Add(std::vector<float>{.5f, .25f, .25f, .125f, .125f, .75f}, std::vector<int32_t>{1, 2});
  EXPECT_NEAR(report.log_loss(), (std::log(4.0) - std::log(0.75)) / 2, 1e-7);
  EXPECT_NEAR(report.brier(), (0.875 + (2 * 0.125 * 0.125 + 0.0625)) / 2, 1e-7);
  EXPECT_DOUBLE_EQ(report.TopAccuracy(1), 0.5);
  EXPECT_DOUBLE_EQ(report.TopAccuracy(2), 1.0);
  // Class 1: the positive example has .25, the other .125.
  EXPECT_DOUBLE_EQ(report.RankingOfClass(1)->roc_auc, 1.0);
  EXPECT_FALSE(report.RankingOfClass(0)) << "nobody has it";
}

TEST(ClassReport, EqualProbabilitiesRankByNumber) {
  const std::vector<float> row = {.25f, .5f, .25f};
  ClassReport of_first(3), of_last(3);
  of_first.Add(row, std::vector<int32_t>{0});
  of_last.Add(row, std::vector<int32_t>{2});
  EXPECT_DOUBLE_EQ(of_first.TopAccuracy(2), 1.0);
  EXPECT_DOUBLE_EQ(of_last.TopAccuracy(2), 0.0);
  EXPECT_DOUBLE_EQ(of_last.TopAccuracy(3), 1.0);
}

TEST(ClassReport, ExamplesWithoutALabelCountInNoFigure) {
  const std::vector<float> rows = {.5f, .25f, .25f, .125f, .125f, .75f};
  ClassReport all(3), labelled(3);
  all.Add(std::vector<float>{.05f, .9f, .05f}, std::vector<int32_t>{-1});
  all.Add(rows, std::vector<int32_t>{1, 2});
  labelled.Add(rows, std::vector<int32_t>{1, 2});
  EXPECT_TRUE(all.has_figures());
  EXPECT_EQ(all.TopAccuracy(2), labelled.TopAccuracy(2));
  EXPECT_EQ(all.RankingOfClass(1)->roc_auc, labelled.RankingOfClass(1)->roc_auc);
  EXPECT_EQ(all.RankingOfClass(1)->average_precision,
            labelled.RankingOfClass(1)->average_precision);
  ClassReport none(3);
  none.Add(rows, std::vector<int32_t>{-1, -1});
  EXPECT_FALSE(none.has_figures());
  EXPECT_EQ(none.TopAccuracy(1), 0);
  EXPECT_FALSE(none.RankingOfClass(1));
}

TEST(ClassReport, NoProbabilityAndNoNumber) {
  ClassReport report(2);
  report.Add(std::vector<float>{1, 0}, std::vector<int32_t>{1});
  EXPECT_NEAR(report.log_loss(), 126 * std::log(2.0), 1e-6) << "the smallest normal float's";
  report.Add(std::vector<float>{kNaN, kNaN}, std::vector<int32_t>{0});
  EXPECT_TRUE(std::isnan(report.log_loss()));
  EXPECT_TRUE(std::isnan(report.brier()));
  EXPECT_DOUBLE_EQ(report.TopAccuracy(2), 0.5) << "an example without a number is in no top";
}

TEST(ClassReport, RankingsEndWhereMemoryWould) {
  constexpr int64_t kClasses = int64_t{1} << 20;
  ClassReport report(kClasses);
  const std::vector<float> row(kClasses, 1.0f / kClasses);
  const std::vector<int32_t> label = {0};
  for (int64_t i = 0; i < ClassReport::kMaxScores / kClasses; ++i) report.Add(row, label);
  EXPECT_TRUE(report.keeps_scores());
  report.Add(row, label);
  EXPECT_FALSE(report.keeps_scores());
  EXPECT_FALSE(report.RankingOfClass(0));
  EXPECT_DOUBLE_EQ(report.TopAccuracy(1), 1.0) << "the rest goes on";
}

TEST(BinaryReport, ByHand) {
  BinaryReport report(2);
  //                                     yes?      yes?     no?      neither
  report.Add(std::vector<float>{.9f, .1f, .5f, .2f, .6f, .3f, .7f, .4f},
             std::vector<float>{1, 1, 1, 0, 0, 0, 0.25f, 1});
  const BinaryReport::Counts& first = report.CountsOf(0);
  EXPECT_EQ(first.examples, 3) << "a target between no and yes is left out";
  EXPECT_EQ(first.true_positives, 1);
  EXPECT_EQ(first.false_negatives, 1) << "1/2 is no";
  EXPECT_EQ(first.false_positives, 1);
  EXPECT_DOUBLE_EQ(first.Precision(), 1.0 / 2);
  EXPECT_DOUBLE_EQ(first.Recall(), 1.0 / 2);
  EXPECT_DOUBLE_EQ(first.Accuracy(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(report.RankingOfOutput(0)->roc_auc, 0.5);
  const BinaryReport::Counts& second = report.CountsOf(1);
  EXPECT_EQ(second.false_negatives, 2);
  EXPECT_EQ(second.true_negatives, 2);
  EXPECT_EQ(second.Precision(), 0);
  EXPECT_EQ(second.Recall(), 0);
  EXPECT_DOUBLE_EQ(report.RankingOfOutput(1)->roc_auc, 0.5);
}

TEST(NumberReport, ByHand) {
  NumberReport report(2);
  report.Add(std::vector<float>{1, 0, 2, 0}, std::vector<float>{1, 3, 2, 3});
  report.Add(std::vector<float>{4, 0}, std::vector<float>{3, 3});
  EXPECT_DOUBLE_EQ(report.MeanSquaredError(0), 1.0 / 3);
  EXPECT_DOUBLE_EQ(report.MeanAbsoluteError(0), 1.0 / 3);
  EXPECT_DOUBLE_EQ(report.R2(0), 0.5);
  EXPECT_DOUBLE_EQ(report.MeanSquaredError(1), 9);
  EXPECT_TRUE(std::isnan(report.R2(1))) << "targets that are all alike";
}

TEST(NumberReport, TargetsFarFromZeroLoseNothing) {
  NumberReport report(1);
  report.Add(std::vector<float>{1e8f, 1e8f + 8, 1e8f + 16},
             std::vector<float>{1e8f, 1e8f + 8, 1e8f + 24});
  // Deviations from the mean: -32/3, -8/3, 40/3.
  EXPECT_NEAR(report.R2(0), 1 - 64 / ((1024 + 64 + 1600) / 9.0), 1e-9);
}

}  // namespace
}  // namespace dl::nn
