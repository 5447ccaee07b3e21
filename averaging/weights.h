// The weights of the workers' contributions in a round.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"

namespace dl::averaging {

// The largest sum of weights for which 64-bit accumulators suffice: 41 bits of fraction, 21 of
// weight, a sign, and one bit free. Weights are numbers of examples divided by their greatest
// common divisor.
inline constexpr int64_t kMaxNarrowWeightSum = int64_t{1} << 21;
// The largest sum of weights allowed. A merge divides by the sum of weights as a double, which
// holds it exactly.
inline constexpr int64_t kMaxWeightSum = int64_t{1} << 53;

struct Weights {
  std::vector<int64_t> weight;  // by worker; 0 for a worker without a unit in the round
  int64_t sum = 0;

  bool operator==(const Weights&) const = default;
};

// Returns the weights: the numbers of examples, divided by their greatest common divisor.
// `examples` is the number of examples that each worker trains in the round. Returns
// InvalidArgument if a number is negative, if all are zero, or if the sum of the weights is above
// kMaxWeightSum.
StatusOr<Weights> NormalizeWeights(std::span<const int64_t> examples);

}  // namespace dl::averaging
