// The pass CountedRowsOnly. In training, rows that do not count in the loss of an output, such as
// the tokens that are not masked in a masked language model, have gradients of zero. The last
// operations before the loss are therefore computed only for the rows that count: those that
// compute each row alone and whose results nothing but this output uses. The pass inserts an
// operation before them that takes these rows (CountedRowsOperation).
//
// Kernels are compiled for a fixed number of rows, the capacity. nn/counted_rows.h chooses it from
// the number of rows that count. The remaining rows of the capacity are zero.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/layers/lowering.h"

namespace dl::nn {

// Returns for each output of the model whether the pass can reduce its work: the output is a
// sequence, its loss judges each row separately, and a dense product is among these last
// operations.
std::vector<bool> OutputsOfCountedRows(const ModelConfig& model);

// Rewrites the operations before output i for capacities[i] rows. 0 leaves an output unchanged.
// `capacities` is empty or has an entry for each output. REQUIRES: OutputsOfCountedRows is true for
// each output whose capacity is not 0.
void ComputeCountedRowsOnly(LoweredModel& lowered, std::span<const int64_t> capacities);

}  // namespace dl::nn
