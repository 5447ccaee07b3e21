// Copies a matrix that stands in memory in blocks to the plain layout.
#pragma once

#include <cstdint>

#include "nn/kernels/index_range.h"

namespace dl::nn {

// A matrix in memory as [rows / row_block][columns / column_block][column_block][row_block]. Rows
// and columns are padded to whole blocks.
struct BlockedMatrix {
  int64_t rows = 0, columns = 0;  // without padding
  int64_t row_block = 1, column_block = 1;

  int64_t RowBlocks() const { return (rows + row_block - 1) / row_block; }
  int64_t ColumnBlocks() const { return (columns + column_block - 1) / column_block; }
};
// Writes the rows of some blocks of rows to `plain`, [rows, columns].
void UnblockRows(const BlockedMatrix& matrix, IndexRange row_blocks, const float* blocks,
                 float* plain);

}  // namespace dl::nn
