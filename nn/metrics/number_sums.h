// Sums of the errors of predicted numbers that merge exactly. Evaluations on a cluster compute the
// metrics of a regression from them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "nn/metrics/exact_sum.h"

namespace dl::nn {

// Holds the sum of the weights of examples, and four weighted exact sums for each output: targets,
// squared targets, squared errors, absolute errors. Without weights each example has a weight of 1.
// A plain value; not thread-safe.
class NumberSums {
 public:
  explicit NumberSums(int64_t outputs) : sums_(outputs) {}

  int64_t outputs() const { return static_cast<int64_t>(sums_.size()); }
  int64_t Bytes() const { return static_cast<int64_t>(sums_.size() * sizeof(Sums)); }
  // Adds one example, with a prediction and a target for each output. REQUIRES: a finite weight of
  // at least 0.
  void Add(std::span<const float> predictions, std::span<const float> targets, double weight = 1);
  // Returns false and changes nothing if the numbers of outputs differ or a sum does not fit.
  [[nodiscard]] bool Merge(const NumberSums& other);

  // Returns whether this number of examples can have these sums. Each example can have one value
  // that is too large in each output, and can add at most ExactSum::kLargestTerm to a sum. Sums of
  // weights, squares and absolute values cannot be negative.
  bool ArePossible(int64_t examples) const;

  // Return means over the outputs. Errors of output o are first multiplied by units[o], which must
  // be positive, or by 1 if `units` is empty. Return NaN if no example has a weight above 0. Also
  // return NaN if an example with a weight above 0 had a value that is too large for the sums:
  // a target or error beyond 2^31 or not finite, or a weight that exceeds ExactSum::kLargestTerm,
  // alone or multiplied by the square of a target or error.
  double MeanSquaredError(std::span<const double> units = {}) const;
  double MeanAbsoluteError(std::span<const double> units = {}) const;
  // Returns the mean over the outputs of 1 - sum of squared errors / sum of squared distances of
  // the targets from their mean. Outputs whose targets are all equal are ignored. Returns NaN if
  // all outputs are ignored, and if MeanSquaredError returns NaN.
  double R2() const;

  // Returns {"beyond": an integer, "weight": a text, "sums": an array of texts}. The texts are
  // those of ExactSum::ToText. The array has four texts for each output, without inner arrays:
  // targets, squared targets, squared errors and absolute errors of output 0, then those of output
  // 1. A round trip is exact.
  Json ToJson() const;
  // Returns InvalidArgument, which names the path, for another form.
  static StatusOr<NumberSums> FromJson(const Json& json, std::string path);

  bool operator==(const NumberSums&) const = default;

 private:
  struct Sums {
    ExactSum targets, squared_targets, squared_errors, absolute_errors;
    bool operator==(const Sums&) const = default;
  };
  bool HasFigures() const { return beyond_ == 0 && weight_.value() > 0; }
  double R2Of(const Sums& sums) const;
  // Returns the mean over the outputs. `factor(o)` multiplies the mean of output o.
  template <typename Factor>
  double MeanOf(ExactSum Sums::*term, const Factor& factor) const;

  ExactSum weight_;  // of all examples
  std::vector<Sums> sums_;
  int64_t beyond_ = 0;  // number of values, at most one per example and output, too large for sums_
};

}  // namespace dl::nn
