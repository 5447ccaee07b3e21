// Measures how well scores rank positive examples before others, independent of a threshold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dl::nn {

struct ScoredExample {
  float score = 0;
  bool positive = false;
  float weight = 1;  // finite and at least 0
};

struct Ranking {
  // Area under the curve of true positives by false positives: the share of pairs of a positive and
  // another example in which the positive has the higher score. Equal scores count half. A pair
  // weighs the product of its examples' weights. J. A. Hanley, B. J. McNeil, "The meaning and use
  // of the area under a receiver operating characteristic (ROC) curve", 1982.
  double roc_auc = 0;
  // Average precision: the sum over the distinct scores, from the highest, of the precision times
  // the increase in recall. This is the area under the curve of precision by recall, in steps and
  // without interpolation.
  double average_precision = 0;
};

// Returns nullopt if no positive example or no other example has a weight above 0, or if a score is
// NaN. Otherwise sorts the examples by descending score. The result does not depend on the order in
// which they are given.
std::optional<Ranking> RankingOf(std::span<ScoredExample> examples);

}  // namespace dl::nn
