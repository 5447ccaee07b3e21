// What each worker's contribution weighs in a round.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"

namespace dl::averaging {

// Examples divided by their greatest common divisor. Up to this sum, 64 bits hold the accumulator:
// 41 of fraction, 21 of weight, a sign, and one to spare.
inline constexpr int64_t kMaxNarrowWeightSum = int64_t{1} << 21;
// Up to this sum a double holds the divisor exactly.
inline constexpr int64_t kMaxWeightSum = int64_t{1} << 53;

struct Weights {
  std::vector<int64_t> weight;  // by worker; 0 for a worker without a unit in the round
  int64_t sum = 0;

  bool operator==(const Weights&) const = default;
};

// `examples`: by worker, what it trains in the round. InvalidArgument when one is negative, all are
// zero, or the normalized sum is above kMaxWeightSum.
StatusOr<Weights> NormalizeWeights(std::span<const int64_t> examples);

}  // namespace dl::averaging
