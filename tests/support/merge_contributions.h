// The merge of a whole round at once, to compare with: of plain loops, and in tests.
#pragma once

#include <cstdint>
#include <span>

#include "base/segment_table.h"
#include "base/status.h"

namespace dl::test {

struct WeightedVector {
  std::span<const float> flat;
  int64_t examples = 0;  // 0: had no step in the round and does not count
};

// The weighted mean on the grid of the contributions' own magnitudes; a single one is copied bit
// for bit. Errors as Accumulator and NormalizeWeights; `out` is undefined after one.
Status MergeContributions(const SegmentTable& table, std::span<const WeightedVector> contributions,
                          std::span<float> out);

}  // namespace dl::test
