#include "nn/metrics/number_report.h"

#include <cmath>
#include <limits>

#include "base/status.h"

namespace dl::nn {

NumberReport::NumberReport(int64_t outputs) : sums_(outputs) { DL_CHECK(outputs >= 1); }

void NumberReport::Add(std::span<const float> predictions, std::span<const float> targets,
                       std::span<const float> weights) {
  DL_CHECK(predictions.size() == targets.size() && targets.size() % sums_.size() == 0);
  for (size_t begin = 0; begin < targets.size(); begin += sums_.size()) {
    const double weight = weights.empty() ? 1 : weights[begin / sums_.size()];
    if (weight == 0) continue;
    weight_ += weight;
    for (size_t o = 0; o < sums_.size(); ++o) {
      Sums& sums = sums_[o];
      const double target = targets[begin + o];
      const double error = static_cast<double>(predictions[begin + o]) - target;
      sums.squared_errors += weight * (error * error);
      sums.absolute_errors += weight * std::abs(error);
      const double deviation = target - sums.mean;
      sums.mean += weight * deviation / weight_;
      sums.squared_deviations += weight * deviation * (target - sums.mean);
    }
  }
}

double NumberReport::MeanSquaredError(int64_t output) const {
  return sums_[output].squared_errors / weight_;
}

double NumberReport::MeanAbsoluteError(int64_t output) const {
  return sums_[output].absolute_errors / weight_;
}

double NumberReport::R2(int64_t output) const {
  const Sums& sums = sums_[output];
  if (sums.squared_deviations == 0) return std::numeric_limits<double>::quiet_NaN();
  return 1 - sums.squared_errors / sums.squared_deviations;
}

}  // namespace dl::nn
