// How well scores put examples of one kind before the others, whatever threshold one would choose.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dl::nn {

struct ScoredExample {
  float score = 0;
  bool positive = false;
};

struct Ranking {
  // The share of pairs of a positive and another example in which the positive has the higher
  // score; equal scores count half. That is the area under the curve of true positives by false
  // positives. J. A. Hanley, B. J. McNeil, "The meaning and use of the area under a receiver
  // operating characteristic (ROC) curve", 1982.
  double roc_auc = 0;
  // Average precision: the sum over the distinct scores, from the highest, of the precision there
  // times what recall has risen by. The area under the curve of precision by recall, in steps and
  // without interpolation.
  double average_precision = 0;
};

// Nothing where there are no positives, or nothing else, or a score that is not a number. Sorts the
// examples; what comes out does not depend on the order in which they are given.
std::optional<Ranking> RankingOf(std::span<ScoredExample> examples);

}  // namespace dl::nn
