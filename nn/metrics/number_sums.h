// Sums of the errors of predicted numbers that merge exactly: what evaluations on a cluster know of
// a regression.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "nn/metrics/exact_sum.h"

namespace dl::nn {

// Holds four exact sums for each output: targets, their squares, squared errors, absolute errors.
// Plain value; not thread-safe.
class NumberSums {
 public:
  explicit NumberSums(int64_t outputs) : sums_(outputs) {}

  int64_t outputs() const { return static_cast<int64_t>(sums_.size()); }
  int64_t Bytes() const { return static_cast<int64_t>(sums_.size() * sizeof(Sums)); }
  // Adds one example, with a prediction and a target for each output.
  void Add(std::span<const float> predictions, std::span<const float> targets);
  // False, and nothing changes, when the outputs are not as many or a sum does not fit.
  [[nodiscard]] bool Merge(const NumberSums& other);

  // Whether so many examples can have these sums: no count and no sum is beyond what
  // they add up to, and no sum of squares or of absolute values is negative.
  bool ArePossible(int64_t examples) const;

  // Means over the outputs, of `examples` that were added. NaN without examples, and when a target
  // or an error was beyond 2^31 or not finite.
  double MeanSquaredError(int64_t examples) const;
  double MeanAbsoluteError(int64_t examples) const;
  // 1 - the sum of squared errors / the targets' sum of squared distances from their mean. Outputs
  // whose targets are all equal are left out; NaN when all are.
  double R2(int64_t examples) const;

  // {"beyond": an integer, "sums": four texts (ExactSum::ToText) for each output}. Round trip is
  // exact.
  Json ToJson() const;
  static StatusOr<NumberSums> FromJson(const Json& json, std::string path);

  bool operator==(const NumberSums&) const = default;

 private:
  struct Sums {
    ExactSum targets, squared_targets, squared_errors, absolute_errors;
    bool operator==(const Sums&) const = default;
  };
  static double R2Of(const Sums& sums, int64_t examples);

  std::vector<Sums> sums_;
  int64_t beyond_ = 0;  // values that no sum holds
};

}  // namespace dl::nn
