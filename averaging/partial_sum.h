// The sum of several contributions of one round, computed by the executor that holds them, so that
// one vector is sent instead of each contribution. The master computes some sums again to check
// them. Sums on a grid are integers, so the round gets the same bits wherever and in whatever order
// they are added.
//
// Form in which it is sent (docs/protocol.md): the 64-bit sums of the merged table in its order.
// Each input's worker parts follow as floats, in the order of the inputs: its updater state under
// `keep`, and its carried state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "averaging/accumulator.h"
#include "averaging/state_layout.h"
#include "base/status.h"

namespace dl::averaging {

// Returns true if the weights of a round of several workers allow partial sums. Otherwise each
// contribution is sent separately. `weight_sum` is the sum of the weights of all contributions of
// the round.
inline bool MaySum(int64_t weight_sum) { return weight_sum <= kMaxNarrowWeightSum; }

// Returns the size of a partial sum of `inputs` contributions in the form in which it is sent.
int64_t PartialSumBytes(const StateLayout& layout, int64_t inputs);

// Returns the sums in a received partial sum, as a view. REQUIRES: bytes.size() is PartialSumBytes
// of the layout and the number of inputs.
std::span<const std::byte> SumsOf(const StateLayout& layout, std::span<const std::byte> bytes);
// Returns the worker parts of one input as views, in the order of the layout. `input` is its
// index, from 0. REQUIRES: bytes.size() is as in SumsOf, and `bytes` contains this input.
std::vector<std::span<const std::byte>> WorkerPartsOf(const StateLayout& layout, int64_t input,
                                                      std::span<const std::byte> bytes);

// Adds up contributions. Not thread-safe. `layout` must outlive the object.
class PartialSum {
 public:
  // `grid` and `weight_sum` are those of the whole round. Returns the errors of
  // Accumulator::Create, and InvalidArgument unless MaySum(weight_sum).
  static StatusOr<PartialSum> Create(const StateLayout& layout, GridExponents grid,
                                     int64_t weight_sum);

  // Adds the next contribution and copies its worker parts. If `announced` is not empty, it must
  // equal the magnitudes of the contribution. Returns InvalidArgument if the contribution does not
  // fit the layout, and the errors of Accumulator::Add. After an error, the sum is unchanged.
  Status Add(std::span<const float> contribution, int64_t weight,
             std::span<const double> announced);

  // Returns the partial sum in the form in which it is sent, as consecutive spans. They are valid
  // until the next Add.
  std::vector<std::span<const std::byte>> pieces() const;

 private:
  PartialSum(const StateLayout& layout, Accumulator accumulator)
      : layout_(layout), accumulator_(std::move(accumulator)) {}

  const StateLayout& layout_;
  Accumulator accumulator_;
  std::vector<std::vector<float>> worker_parts_;
};

}  // namespace dl::averaging
