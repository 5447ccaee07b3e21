// The curves of a ranking by the threshold of the score: recall by false positive rate (ROC), and
// precision by recall.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "nn/metrics/ranking.h"

namespace dl::nn {

// The figures of a threshold. An example is predicted positive if its score is at least the
// threshold. All figures are shares of weights.
struct CurvePoint {
  float threshold = 0;
  double recall = 0;               // of the positives, those that are predicted positive
  double false_positive_rate = 0;  // of the negatives, those that are predicted positive
  // Share of the positives among the examples that are predicted positive; nullopt if no example is
  // predicted positive.
  std::optional<double> precision;

  bool operator==(const CurvePoint&) const = default;
};

// Immutable. Thread-safe.
class ScoreCurve {
 public:
  // Copies what it needs. REQUIRES: RankingOf returned a value for these examples, and their order
  // has not changed since.
  explicit ScoreCurve(std::span<const ScoredExample> ranked);

  // Returns a point for each distinct score whose examples have a weight above 0, by descending
  // threshold. The first point is that of the highest score. The last one has recall and false
  // positive rate 1. If there are more than `most` such scores, returns `most` of them, among them
  // the first and the last. Neighbors are then about equally far apart along the ROC curve, where
  // the distance is the difference in recall plus the difference in false positive rate.
  //
  // The ROC curve leads from (0, 0) through the points in straight lines. The area under it is
  // Ranking::roc_auc, if no point is left out. The curve of precision by recall consists of steps:
  // from the recall of the previous point to that of a point, the precision is that of the point.
  // The area under it is Ranking::average_precision, if no point is left out. REQUIRES: most >= 2.
  std::vector<CurvePoint> Points(size_t most) const;

  // Returns the point of this threshold, which need not be a score. Above the highest score, recall
  // and false positive rate are 0, and precision is nullopt.
  CurvePoint At(float threshold) const;

 private:
  // Sums of the weights of all examples whose score is at least `score`.
  struct Step {
    float score = 0;
    double positives = 0, others = 0;
  };
  CurvePoint PointOf(float threshold, const Step& step) const;

  std::vector<Step> steps_;  // by descending score
};

}  // namespace dl::nn
