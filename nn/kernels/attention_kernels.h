// The parts of attention that are not matrix products. All matrices are plain. Each function
// computes the matrices of a range. A matrix belongs to one head of one example.
#pragma once

#include <cstdint>

#include "nn/kernels/index_range.h"

namespace dl::nn {

// SplitHeads copies rows [examples * steps, width] to matrices [examples * heads, steps, size], one
// for each head. MergeHeads copies them back. In a row the values of the heads are contiguous,
// beginning at column `begin`. Both round to bf16 if only the destination has this type.
struct HeadsShape {
  int64_t examples = 0, steps = 0, heads = 0, size = 0;
  int64_t width = 0, begin = 0;

  int64_t Matrices() const { return examples * heads; }
};
void SplitHeads(const HeadsShape& shape, IndexRange range, const float* rows, float* matrices);
void SplitHeads(const HeadsShape& shape, IndexRange range, const float* rows, uint16_t* matrices);
void SplitHeads(const HeadsShape& shape, IndexRange range, const uint16_t* rows,
                uint16_t* matrices);
void MergeHeads(const HeadsShape& shape, IndexRange range, const float* matrices, float* rows);
void MergeHeads(const HeadsShape& shape, IndexRange range, const float* matrices, uint16_t* rows);

// Matrices of scores [matrices, rows, columns]. A row is a step of the queries, a column a step of
// the keys. With causal attention, row i attends to columns 0 to i, otherwise to all columns.
// Columns after an example's last step are excluded.
struct ScoresShape {
  int64_t matrices = 0, rows = 0, columns = 0;
  bool causal = false;
  float scale = 1;
  int64_t heads = 1;                 // matrices per example
  const int32_t* lengths = nullptr;  // steps of each example, at least 1; null: all steps

  // Returns the number of columns that a row attends to.
  int64_t SeenBy(int64_t matrix, int64_t row) const {
    const int64_t seen = causal ? row + 1 : columns;
    if (lengths == nullptr || seen <= lengths[matrix / heads]) return seen;
    return lengths[matrix / heads];
  }
};
// In place: softmax(scale * scores) over the columns that each row attends to; 0 for the others.
void AttentionWeights(const ScoresShape& shape, IndexRange range, float* scores);
// In place: turns the gradient of the weights into the gradient of the scores.
void AttentionWeightsGradient(const ScoresShape& shape, IndexRange range, const float* weights,
                              float* gradient);
// The same for matrix number `matrix`, whose values alone are at the pointers.
void AttentionWeights(const ScoresShape& shape, int64_t matrix, float* scores);
void AttentionWeightsGradient(const ScoresShape& shape, int64_t matrix, const float* weights,
                              float* gradient);

}  // namespace dl::nn
