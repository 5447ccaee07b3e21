// What several contributions of one round sum to, made where they were computed, so that one vector
// travels and not each of them. Sums on a grid are integers: added up anywhere, in any order, they
// give the round the same bits.
//
// As it travels (docs/protocol.md): the 64-bit sums of the merged table in its order, then, under
// `keep`, each input's own parts as floats, in the order of the inputs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "averaging/accumulator.h"
#include "averaging/state_layout.h"
#include "base/status.h"

namespace dl::averaging {

// Contributions of weights with a larger sum are sent each by itself.
inline bool MaySum(int64_t weight_sum) { return weight_sum <= kMaxNarrowWeightSum; }

int64_t PartialSumBytes(const StateLayout& layout, int64_t inputs);

// What was received, by its parts. REQUIRES: bytes.size() == PartialSumBytes(layout, inputs).
std::span<const std::byte> SumsOf(const StateLayout& layout, std::span<const std::byte> bytes);
// Of an input, in the order of the layout.
std::vector<std::span<const std::byte>> WorkerPartsOf(const StateLayout& layout, int64_t input,
                                                      std::span<const std::byte> bytes);

// Not thread-safe. `layout` outlives it.
class PartialSum {
 public:
  // `grid` and `weight_sum` are the whole round's. Errors as Accumulator::Create, and
  // InvalidArgument unless MaySum.
  static StatusOr<PartialSum> Create(const StateLayout& layout, GridExponents grid,
                                     int64_t weight_sum);

  // The next input. Errors as Accumulator::Add.
  Status Add(std::span<const float> contribution, int64_t weight,
             std::span<const double> announced);

  // All of it, in the order in which it travels; valid until the next Add.
  std::vector<std::span<const std::byte>> pieces() const;

 private:
  PartialSum(const StateLayout& layout, Accumulator accumulator)
      : layout_(layout), accumulator_(std::move(accumulator)) {}

  const StateLayout& layout_;
  Accumulator accumulator_;
  std::vector<std::vector<float>> worker_parts_;
};

}  // namespace dl::averaging
