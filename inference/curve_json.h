// The curves of a class or a yes-or-no answer in the report of an evaluation.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/json_fwd.h"
#include "nn/metrics/ranking.h"

namespace dl::inference {

// Most points of a curve, and of all curves of an output of the model together. An output with so
// many curves that each would have fewer than kFewestCurvePoints points has none.
inline constexpr size_t kMostCurvePoints = 200;
inline constexpr size_t kMostPointsOfCurves = 2000;
inline constexpr size_t kFewestCurvePoints = 20;

// Returns the number of points of each of `curves` curves; 0: none is described.
size_t PointsOfCurve(size_t curves);

// Ranks the examples and adds "roc_auc" and "average_precision" to `entry`. Unless `points` is 0,
// also adds "curve" with at most that many points, and "at_threshold".
//
// - "curve": {"threshold","recall","false_positive_rate","precision"}, lists of numbers for
//   descending thresholds (nn::ScoreCurve::Points).
// - "at_threshold": [{"threshold","recall","false_positive_rate","precision"}] for a few
//   thresholds, ascending. "precision" is absent if no example reaches the threshold.
//
// Figures of curves are rounded to float32. Adds nothing if `examples` is nullopt or has no
// ranking. Returns the ranking.
std::optional<nn::Ranking> PutRanking(std::optional<std::vector<nn::ScoredExample>> examples,
                                      size_t points, Json& entry);

}  // namespace dl::inference
