// What an attention computes besides matrix products. Matrices are plain.
#pragma once

#include <cstdint>

namespace dl::nn {

// Rows [examples * steps, width], in which the heads' values lie one behind the other from column
// `begin` on, and matrices [examples * heads, steps, size], one for each head.
struct HeadsShape {
  int64_t examples = 0, steps = 0, heads = 0, size = 0;
  int64_t width = 0, begin = 0;
};
void SplitHeads(const HeadsShape& shape, const float* rows, float* matrices);
void MergeHeads(const HeadsShape& shape, const float* matrices, float* rows);

// Matrices of scores [matrices, rows, columns]; a row is a step that asks, a column one that
// answers. Where the attention is causal, a row sees the columns up to its own number, else all;
// none behind its example's last step where lengths differ.
struct ScoresShape {
  int64_t matrices = 0, rows = 0, columns = 0;
  bool causal = false;
  float scale = 1;
  int64_t heads = 1;                 // matrices of an example
  const int32_t* lengths = nullptr;  // of each example, from 1 on; null: all steps

  int64_t SeenBy(int64_t matrix, int64_t row) const {
    const int64_t seen = causal ? row + 1 : columns;
    if (lengths == nullptr || seen <= lengths[matrix / heads]) return seen;
    return lengths[matrix / heads];
  }
};
// In place: softmax(scale * scores) over what each step sees; 0 for the rest.
void AttentionWeights(const ScoresShape& shape, float* scores);
// In place: the gradient by the scores, of that by the weights.
void AttentionWeightsGradient(const ScoresShape& shape, const float* weights, float* gradient);

}  // namespace dl::nn
