// The pass CountedRowsOnly. In training, rows that do not count in the loss of an output, such as
// the tokens that are not masked in a masked language model, have gradients of zero. Operations
// after the last operation that mixes rows are therefore computed only for the rows that count.
// The pass inserts an operation that takes these rows before them (CountedRowsOperation).
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
// sequence, its loss judges each row separately, and a dense product comes after the last operation
// that mixes rows.
std::vector<bool> OutputsOfCountedRows(const ModelConfig& model);

// Rewrites the operations before output i for capacities[i] rows. 0 leaves an output unchanged.
// `capacities` is empty or has an entry for each output. REQUIRES: OutputsOfCountedRows is true for
// each output whose capacity is not 0.
void ComputeCountedRowsOnly(LoweredModel& lowered, std::span<const int64_t> capacities);

}  // namespace dl::nn
