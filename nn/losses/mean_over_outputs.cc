#include "nn/losses/mean_over_outputs.h"

#include "nn/backend/parallel_for.h"
#include "nn/losses/rows_in_order.h"

namespace dl::nn {

void MeanOverOutputs::AddLosses(const Outputs& y, const Expected& expected,
                                MetricSums& sums) const {
  const float* const targets = expected.targets.data();
  const auto compute = [&](int64_t r) {
    const int64_t begin = r * y.outputs;
    return expected.Counts(r) ? RowSum({y.values + begin, targets + begin, y.outputs}) : 0.0;
  };
  RowsInOrder(y.rows, y.outputs, compute, [&](int64_t r, double sum) {
    if (expected.Counts(r))
      sums.AddLoss(expected.Weighted(r, sum / static_cast<double>(y.outputs)));
  });
}

void MeanOverOutputs::Gradient(const Outputs& y, const Expected& expected, float* gradient) const {
  const double share = ShareOf(y, expected, y.outputs);
  ForRows(y.rows, y.outputs, [&](int64_t first, int64_t last) {
    const int64_t begin = first * y.outputs, values = (last - first) * y.outputs;
    Derivatives({y.values + begin, expected.targets.data() + begin, values}, share,
                gradient + begin);
  });
}

}  // namespace dl::nn
