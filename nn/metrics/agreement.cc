#include "nn/metrics/agreement.h"

#include <cmath>
#include <limits>
#include <vector>

namespace dl::nn {
namespace {

double Ratio(double part, double whole) { return whole == 0 ? 0.0 : part / whole; }

// Numbers of examples, or their weights where there are sums of weights.
struct Margins {
  std::vector<double> labelled, predicted, hit;  // of each class
  double all = 0, right = 0;
};

Margins WeightedMargins(const PredictionWeights& weights) {
  Margins margins{.all = weights.all().value(), .right = weights.right().value()};
  for (const PredictionWeights::OfClass& of : weights.classes()) {
    margins.labelled.push_back(of.labelled.value());
    margins.predicted.push_back(of.predicted.value());
    margins.hit.push_back(of.right.value());
  }
  return margins;
}

Margins MarginsOf(const MetricSums& sums) {
  if (sums.weights()) return WeightedMargins(*sums.weights());
  const auto classes = static_cast<size_t>(sums.classes());
  Margins margins{.labelled = std::vector<double>(classes),
                  .predicted = std::vector<double>(classes),
                  .hit = std::vector<double>(classes)};
  sums.VisitConfusion([&](int64_t c, int64_t p, int64_t entry) {
    const auto count = static_cast<double>(entry);
    margins.labelled[c] += count;
    margins.predicted[p] += count;
    margins.all += count;
    if (c != p) return;
    margins.hit[c] = count;
    margins.right += count;
  });
  return margins;
}

}  // namespace

double F1(double precision, double recall) {
  return Ratio(2 * precision * recall, precision + recall);
}

std::vector<ClassFigures> FiguresByClass(const MetricSums& sums) {
  const auto [labelled, predicted, hit, all, right] = MarginsOf(sums);
  std::vector<bool> was_met(labelled.size());
  sums.VisitConfusion([&](int64_t c, int64_t p, int64_t) { was_met[c] = was_met[p] = true; });
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<ClassFigures> figures(labelled.size(), {kNone, kNone, kNone});
  for (size_t c = 0; c < figures.size(); ++c) {
    if (!was_met[c]) continue;
    const double precision = Ratio(hit[c], predicted[c]), recall = Ratio(hit[c], labelled[c]);
    figures[c] = {precision, recall, F1(precision, recall)};
  }
  return figures;
}

Agreement AgreementOf(const MetricSums& sums) {
  const int64_t classes = sums.classes();
  const auto& [labelled, predicted, hit, all, right] = MarginsOf(sums);

  Agreement agreement;
  // Classes that were met have a place in the means also where all their weights are 0.
  std::vector<bool> was_met(classes);
  sums.VisitConfusion([&](int64_t c, int64_t p, int64_t) { was_met[c] = was_met[p] = true; });
  double met = 0, both = 0, labelled_squares = 0, predicted_squares = 0;
  for (int64_t c = 0; c < classes; ++c) {
    both += labelled[c] * predicted[c];
    labelled_squares += labelled[c] * labelled[c];
    predicted_squares += predicted[c] * predicted[c];
    if (!was_met[c]) continue;
    const double hits = hit[c];
    const double precision = Ratio(hits, predicted[c]), recall = Ratio(hits, labelled[c]);
    met += 1;
    agreement.macro_precision += precision;
    agreement.macro_recall += recall;
    agreement.macro_f1 += F1(precision, recall);
    agreement.mean_iou += Ratio(hits, labelled[c] + predicted[c] - hits);
  }
  agreement.macro_precision = Ratio(agreement.macro_precision, met);
  agreement.macro_recall = Ratio(agreement.macro_recall, met);
  agreement.macro_f1 = Ratio(agreement.macro_f1, met);
  agreement.mean_iou = Ratio(agreement.mean_iou, met);

  const double squares = all * all;
  agreement.kappa = Ratio(right * all - both, squares - both);
  agreement.mcc = Ratio(right * all - both, std::sqrt(squares - labelled_squares) *
                                                std::sqrt(squares - predicted_squares));
  return agreement;
}

double FigureOf(const MetricSums& sums, std::string_view name, std::span<const double> units) {
  if (name == "loss") return sums.loss();
  if (name == "accuracy") return sums.accuracy();
  constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();
  if (sums.numbers() && sums.non_finite() == 0) {
    if (name == "r2") return sums.numbers()->R2();
    if (name == "mse") return sums.numbers()->MeanSquaredError(units);
    if (name == "mae") return sums.numbers()->MeanAbsoluteError(units);
  }
  if (name == "roc_auc" || name == "average_precision") {
    if (!sums.scores() || sums.non_finite() > 0) return kNoFigure;
    const std::optional<Ranking> ranking = sums.scores()->Rank();
    if (!ranking) return kNoFigure;
    return name == "roc_auc" ? ranking->roc_auc : ranking->average_precision;
  }
  if (sums.classes() == 0) return kNoFigure;
  const Agreement agreement = AgreementOf(sums);
  if (name == "macro_precision") return agreement.macro_precision;
  if (name == "macro_recall") return agreement.macro_recall;
  if (name == "macro_f1") return agreement.macro_f1;
  if (name == "kappa") return agreement.kappa;
  if (name == "mcc") return agreement.mcc;
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace dl::nn
