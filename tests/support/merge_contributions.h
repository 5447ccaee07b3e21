// Merges a whole round at once with plain loops. Tests compare the merge of the product with it.
#pragma once

#include <cstdint>
#include <span>

#include "base/segment_table.h"
#include "base/status.h"

namespace dl::test {

struct WeightedVector {
  std::span<const float> flat;
  int64_t examples = 0;  // 0: did no step in the round and has no weight
};

// Computes the weighted mean on the grid that follows from the magnitudes of the contributions. A
// single contribution is copied bit for bit. Errors: those of Accumulator and NormalizeWeights.
// After an error `out` is undefined.
Status MergeContributions(const SegmentTable& table, std::span<const WeightedVector> contributions,
                          std::span<float> out);

}  // namespace dl::test
