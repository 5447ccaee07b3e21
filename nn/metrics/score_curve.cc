#include "nn/metrics/score_curve.h"

#include <algorithm>
#include <iterator>

#include "base/status.h"

namespace dl::nn {

ScoreCurve::ScoreCurve(std::span<const ScoredExample> ranked) {
  Step sum;
  for (size_t i = 0; i < ranked.size(); ++i) {
    DL_CHECK(i == 0 || ranked[i].score <= ranked[i - 1].score);
    const double weight = ranked[i].weight;
    if (weight == 0) continue;
    (ranked[i].positive ? sum.positives : sum.others) += weight;
    sum.score = ranked[i].score;
    if (steps_.empty() || steps_.back().score != sum.score) {
      steps_.push_back(sum);
    } else {
      steps_.back() = sum;
    }
  }
  DL_CHECK(!steps_.empty() && sum.positives > 0 && sum.others > 0);
}

CurvePoint ScoreCurve::PointOf(float threshold, const Step& step) const {
  const Step& all = steps_.back();
  CurvePoint point{.threshold = threshold,
                   .recall = step.positives / all.positives,
                   .false_positive_rate = step.others / all.others};
  const double predicted = step.positives + step.others;
  if (predicted > 0) point.precision = step.positives / predicted;
  return point;
}

std::vector<CurvePoint> ScoreCurve::Points(size_t most) const {
  DL_CHECK(most >= 2);
  std::vector<CurvePoint> all;
  all.reserve(steps_.size());
  for (const Step& step : steps_) all.push_back(PointOf(step.score, step));
  if (all.size() <= most) return all;
  // Length of the ROC curve up to a point, horizontal and vertical parts added. It is 2 at the end.
  const auto length = [](const CurvePoint& point) {
    return point.recall + point.false_positive_rate;
  };
  const double first = length(all.front());
  std::vector<CurvePoint> kept;
  for (size_t i = 0; i < all.size(); ++i) {
    const size_t left = most - kept.size(), points = all.size() - i;
    const double wanted =
        first + (2 - first) * static_cast<double>(kept.size()) / static_cast<double>(most - 1);
    const bool is_last = i + 1 == all.size();
    // The last place is for the last point.
    if (is_last || points <= left || (left > 1 && length(all[i]) >= wanted)) kept.push_back(all[i]);
  }
  return kept;
}

CurvePoint ScoreCurve::At(float threshold) const {
  const auto below = std::ranges::partition_point(
      steps_, [&](const Step& step) { return step.score >= threshold; });
  return PointOf(threshold, below == steps_.begin() ? Step{} : *std::prev(below));
}

}  // namespace dl::nn
