// Computes metrics of predicted numbers, for each output separately.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dl::nn {

// Examples are added one after the other. Sums are doubles in that order, so metrics do not depend
// on how examples are divided into batches. Not thread-safe.
class NumberReport {
 public:
  // REQUIRES: at least one output.
  explicit NumberReport(int64_t outputs);

  // `predictions` and `targets` are [examples, outputs]. `weights` has the weight of each example,
  // finite and at least 0; empty means that each is 1.
  void Add(std::span<const float> predictions, std::span<const float> targets,
           std::span<const float> weights = {});

  int64_t outputs() const { return static_cast<int64_t>(sums_.size()); }
  // Return NaN if no example has a weight above 0.
  double MeanSquaredError(int64_t output) const;
  double MeanAbsoluteError(int64_t output) const;
  // Returns the coefficient of determination, at most 1: 1 - MSE / variance of the targets, where
  // the variance is the mean squared deviation. Predicting the mean of the targets gives 0. NaN if
  // all targets are equal, or without examples of a weight above 0.
  double R2(int64_t output) const;

 private:
  struct Sums {
    double squared_errors = 0, absolute_errors = 0;
    // Updated as in B. P. Welford, "Note on a method for calculating corrected sums of squares and
    // products", 1962, which avoids the difference of two large sums. With weights as in D. H. D.
    // West, "Updating mean and variance estimates: an improved method", 1979.
    double mean = 0, squared_deviations = 0;
  };
  double weight_ = 0;  // of all examples
  std::vector<Sums> sums_;
};

}  // namespace dl::nn
