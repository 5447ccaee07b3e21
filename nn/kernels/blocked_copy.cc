#include "nn/kernels/blocked_copy.h"

#include <algorithm>

namespace dl::nn {

// Each piece of a row that is written is contiguous. Kernels that go through a block in its own
// order write to many rows in turn, whose lines displace each other in the cache if rows are a
// multiple of 4 KiB apart.
void UnblockRows(const BlockedMatrix& m, IndexRange row_blocks, const float* blocks, float* plain) {
  const int64_t size = m.row_block * m.column_block;
  for (int64_t of_rows = row_blocks.begin; of_rows < row_blocks.end; ++of_rows) {
    const int64_t first_row = of_rows * m.row_block;
    const int64_t rows = std::min(m.row_block, m.rows - first_row);
    for (int64_t of_columns = 0; of_columns < m.ColumnBlocks(); ++of_columns) {
      const int64_t first_column = of_columns * m.column_block;
      const int64_t columns = std::min(m.column_block, m.columns - first_column);
      const float* const block = blocks + (of_rows * m.ColumnBlocks() + of_columns) * size;
      for (int64_t r = 0; r < rows; ++r) {
        float* const row = plain + (first_row + r) * m.columns + first_column;
        for (int64_t c = 0; c < columns; ++c) row[c] = block[c * m.row_block + r];
      }
    }
  }
}

}  // namespace dl::nn
