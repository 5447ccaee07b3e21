#include "nn/metrics/agreement.h"

#include <cmath>
#include <limits>
#include <vector>

namespace dl::nn {
namespace {

double Ratio(double part, double whole) { return whole == 0 ? 0.0 : part / whole; }

}  // namespace

double F1(double precision, double recall) {
  return Ratio(2 * precision * recall, precision + recall);
}

Agreement AgreementOf(const MetricSums& sums) {
  const int64_t classes = sums.classes();
  std::vector<double> labelled(classes), predicted(classes), hit(classes);
  double all = 0, right = 0;
  sums.VisitConfusion([&](int64_t c, int64_t p, int64_t entry) {
    const auto count = static_cast<double>(entry);
    labelled[c] += count;
    predicted[p] += count;
    all += count;
    if (c != p) return;
    hit[c] = count;
    right += count;
  });

  Agreement agreement;
  double met = 0, both = 0, labelled_squares = 0, predicted_squares = 0;
  for (int64_t c = 0; c < classes; ++c) {
    both += labelled[c] * predicted[c];
    labelled_squares += labelled[c] * labelled[c];
    predicted_squares += predicted[c] * predicted[c];
    if (labelled[c] + predicted[c] == 0) continue;
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

double FigureOf(const MetricSums& sums, std::string_view name) {
  if (name == "loss") return sums.loss();
  if (name == "accuracy") return sums.accuracy();
  constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();
  if (sums.numbers() && sums.non_finite() == 0) {
    if (name == "r2") return sums.numbers()->R2(sums.examples());
    if (name == "mse") return sums.numbers()->MeanSquaredError(sums.examples());
    if (name == "mae") return sums.numbers()->MeanAbsoluteError(sums.examples());
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
