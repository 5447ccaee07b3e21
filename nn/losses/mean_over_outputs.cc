#include "nn/losses/mean_over_outputs.h"

namespace dl::nn {

void MeanOverOutputs::AddLosses(const Outputs& y, const Expected& expected,
                                MetricSums& sums) const {
  const float* const targets = expected.targets.data();
  for (int64_t r = 0; r < y.rows; ++r) {
    if (!expected.Counts(r)) continue;
    const int64_t begin = r * y.outputs;
    const double sum = RowSum({y.values + begin, targets + begin, y.outputs});
    sums.AddLoss(expected.Weighted(r, sum / static_cast<double>(y.outputs)));
  }
}

void MeanOverOutputs::Gradient(const Outputs& y, const Expected& expected, float* gradient) const {
  const int64_t values = y.rows * y.outputs;
  Derivatives({y.values, expected.targets.data(), values}, ShareOf(y, expected, y.outputs),
              gradient);
}

}  // namespace dl::nn
