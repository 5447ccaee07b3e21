// The curves of a class or a yes-or-no answer in the report of an evaluation.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/json_fwd.h"
#include "nn/metrics/ranking.h"

namespace dl::inference {

// Most points of a curve, and of all curves of an output of the model together. If each curve of an
// output would have fewer than kMinCurvePoints points, the output has no curves.
inline constexpr size_t kMaxCurvePoints = 200;
inline constexpr size_t kMaxPointsOfCurves = 2000;
inline constexpr size_t kMinCurvePoints = 20;

// Returns the most points of each curve of an output that has this number of curves. 0: the output
// has no curves.
size_t PointsOfCurve(size_t curves);

// Ranks the examples and adds "roc_auc" and "average_precision" to `entry`. Unless `points` is 0,
// also adds "curve" with at most that many points, and "at_threshold".
//
// - "curve": {"threshold","recall","false_positive_rate","precision"}, lists of numbers for
//   descending thresholds (nn::ScoreCurve::Points).
// - "at_threshold": [{"threshold","recall","false_positive_rate","precision"}] for the thresholds
//   0.1, 0.25, 0.5, 0.75 and 0.9. "precision" is absent if no example reaches the threshold.
//
// Figures in "curve" and "at_threshold" are rounded to float32. Returns the ranking. Returns
// nullopt and adds nothing if `examples` is nullopt or nn::RankingOf returns nullopt for it.
std::optional<nn::Ranking> PutRanking(std::optional<std::vector<nn::ScoredExample>> examples,
                                      size_t points, Json& entry);

}  // namespace dl::inference
