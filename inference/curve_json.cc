#include "inference/curve_json.h"

#include <algorithm>

#include "base/json.h"
#include "inference/number_json.h"
#include "nn/metrics/score_curve.h"

namespace dl::inference {
namespace {

constexpr float kThresholds[] = {0.1f, 0.25f, 0.5f, 0.75f, 0.9f};

Json ShareJson(double share) { return NumberJson(static_cast<float>(share)); }

Json CurveJson(const std::vector<nn::CurvePoint>& points) {
  Json threshold = Json::array(), recall = Json::array(), false_positives = Json::array(),
       precision = Json::array();
  for (const nn::CurvePoint& point : points) {
    threshold.push_back(NumberJson(point.threshold));
    recall.push_back(ShareJson(point.recall));
    false_positives.push_back(ShareJson(point.false_positive_rate));
    precision.push_back(ShareJson(point.precision.value_or(0)));  // every point has one
  }
  return {{"threshold", std::move(threshold)},
          {"recall", std::move(recall)},
          {"false_positive_rate", std::move(false_positives)},
          {"precision", std::move(precision)}};
}

Json PointJson(const nn::CurvePoint& point) {
  Json json = {{"threshold", NumberJson(point.threshold)},
               {"recall", ShareJson(point.recall)},
               {"false_positive_rate", ShareJson(point.false_positive_rate)}};
  if (point.precision) json["precision"] = ShareJson(*point.precision);
  return json;
}

}  // namespace

size_t PointsOfCurve(size_t curves) {
  const size_t points = kMaxPointsOfCurves / std::max<size_t>(1, curves);
  return points < kMinCurvePoints ? 0 : std::min(points, kMaxCurvePoints);
}

std::optional<nn::Ranking> PutRanking(std::optional<std::vector<nn::ScoredExample>> examples,
                                      size_t points, Json& entry) {
  if (!examples) return std::nullopt;
  const std::optional<nn::Ranking> ranking = nn::RankingOf(*examples);
  if (!ranking) return std::nullopt;
  entry["roc_auc"] = ranking->roc_auc;
  entry["average_precision"] = ranking->average_precision;
  if (points == 0) return ranking;
  const nn::ScoreCurve curve(*examples);
  entry["curve"] = CurveJson(curve.Points(points));
  Json& at = entry["at_threshold"] = Json::array();
  for (const float threshold : kThresholds) at.push_back(PointJson(curve.At(threshold)));
  return ranking;
}

}  // namespace dl::inference
