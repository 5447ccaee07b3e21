#include "nn/metrics/agreement.h"

#include <cmath>
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
  std::vector<double> labelled(classes), predicted(classes);
  double all = 0, right = 0;
  for (int64_t c = 0; c < classes; ++c) {
    for (int64_t p = 0; p < classes; ++p) {
      const auto count = static_cast<double>(sums.Confused(c, p));
      labelled[c] += count;
      predicted[p] += count;
      all += count;
      if (c == p) right += count;
    }
  }

  Agreement agreement;
  double met = 0, both = 0, labelled_squares = 0, predicted_squares = 0;
  for (int64_t c = 0; c < classes; ++c) {
    both += labelled[c] * predicted[c];
    labelled_squares += labelled[c] * labelled[c];
    predicted_squares += predicted[c] * predicted[c];
    if (labelled[c] + predicted[c] == 0) continue;
    const auto hits = static_cast<double>(sums.Confused(c, c));
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

}  // namespace dl::nn
