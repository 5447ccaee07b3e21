// What predicted numbers are worth: each output by itself, against the number it was to be.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dl::nn {

// One example after the other, in their order; not thread-safe. Sums are double in that order, so
// the figures do not depend on how examples are cut into batches.
class NumberReport {
 public:
  explicit NumberReport(int64_t outputs);

  // Both [examples, outputs].
  void Add(std::span<const float> predictions, std::span<const float> targets);

  int64_t outputs() const { return static_cast<int64_t>(sums_.size()); }
  // The mean squared error, the mean absolute error. NaN without examples.
  double MeanSquaredError(int64_t output) const;
  double MeanAbsoluteError(int64_t output) const;
  // The coefficient of determination: 1 - MSE / the variance of the targets (over their number). At
  // most 1; 0 is what predicting the targets' mean would give. NaN where all targets are equal.
  double R2(int64_t output) const;

 private:
  struct Sums {
    double squared_errors = 0, absolute_errors = 0;
    // B. P. Welford, "Note on a method for calculating corrected sums of squares and products",
    // 1962: no difference of two large sums.
    double mean = 0, squared_deviations = 0;
  };
  int64_t examples_ = 0;
  std::vector<Sums> sums_;
};

}  // namespace dl::nn
