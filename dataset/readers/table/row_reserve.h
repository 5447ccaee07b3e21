// Reserves memory for the rows of a table.
#pragma once

#include <algorithm>
#include <cstdint>

#include "dataset/example_table.h"

namespace dl::dataset {

// Reserves memory for `rows` rows of floats, so that the table is not copied as it grows. Reserves
// no more than SpillFeatures keeps in memory, and at most 1 GiB. REQUIRES: the shape of the
// features is set.
inline void ReserveRows(int64_t rows, const RowMemory& memory, ExampleTable& table) {
  constexpr int64_t kMostBytes = int64_t{1} << 30;
  const int64_t most =
      std::min(memory.bytes, kMostBytes) / std::max<int64_t>(1, table.schema.FeatureBytes());
  table.f32.reserve(static_cast<size_t>((std::min(rows, most) + 1) * table.schema.FeatureSize()));
}

}  // namespace dl::dataset
