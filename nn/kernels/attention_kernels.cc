#include "nn/kernels/attention_kernels.h"

#include <algorithm>

#include "nn/kernels/bf16.h"
#include "nn/kernels/clones.h"
#include "nn/kernels/row_kernels.h"

namespace dl::nn {
namespace {

// Calls visit(index in the rows, index in the matrices) for the values of each head at each step.
template <typename Visit>
void VisitHeads(const HeadsShape& s, IndexRange range, const Visit& visit) {
  for (int64_t m = range.begin; m < range.end; ++m) {
    const int64_t row = m / s.heads * s.steps, column = s.begin + m % s.heads * s.size;
    for (int64_t t = 0; t < s.steps; ++t)
      visit((row + t) * s.width + column, (m * s.steps + t) * s.size);
  }
}

DL_ISA_CLONES void Scale(float* x, int64_t n, float factor) {
  for (int64_t i = 0; i < n; ++i) x[i] *= factor;
}

}  // namespace

void SplitHeads(const HeadsShape& shape, IndexRange range, const float* rows, float* matrices) {
  VisitHeads(shape, range, [&](int64_t row, int64_t matrix) {
    std::copy_n(rows + row, shape.size, matrices + matrix);
  });
}

void SplitHeads(const HeadsShape& shape, IndexRange range, const float* rows, uint16_t* matrices) {
  VisitHeads(shape, range, [&](int64_t row, int64_t matrix) {
    RoundToBf16(rows + row, matrices + matrix, shape.size);
  });
}

void SplitHeads(const HeadsShape& shape, IndexRange range, const uint16_t* rows,
                uint16_t* matrices) {
  VisitHeads(shape, range, [&](int64_t row, int64_t matrix) {
    std::copy_n(rows + row, shape.size, matrices + matrix);
  });
}

void MergeHeads(const HeadsShape& shape, IndexRange range, const float* matrices, float* rows) {
  VisitHeads(shape, range, [&](int64_t row, int64_t matrix) {
    std::copy_n(matrices + matrix, shape.size, rows + row);
  });
}

void MergeHeads(const HeadsShape& shape, IndexRange range, const float* matrices, uint16_t* rows) {
  VisitHeads(shape, range, [&](int64_t row, int64_t matrix) {
    RoundToBf16(matrices + matrix, rows + row, shape.size);
  });
}

void AttentionWeights(const ScoresShape& shape, int64_t matrix, float* scores) {
  for (int64_t r = 0; r < shape.rows; ++r, scores += shape.columns) {
    const int64_t seen = shape.SeenBy(matrix, r);
    Scale(scores, seen, shape.scale);
    SoftmaxForward(scores, 1, seen);
    std::fill(scores + seen, scores + shape.columns, 0.0f);
  }
}

void AttentionWeights(const ScoresShape& shape, IndexRange range, float* scores) {
  const int64_t each = shape.rows * shape.columns;
  for (int64_t m = range.begin; m < range.end; ++m) AttentionWeights(shape, m, scores + m * each);
}

void AttentionWeightsGradient(const ScoresShape& shape, int64_t matrix, const float* weights,
                              float* gradient) {
  for (int64_t r = 0; r < shape.rows; ++r, weights += shape.columns, gradient += shape.columns) {
    const int64_t seen = shape.SeenBy(matrix, r);
    SoftmaxBackward(weights, gradient, 1, seen);
    Scale(gradient, seen, shape.scale);
    std::fill(gradient + seen, gradient + shape.columns, 0.0f);
  }
}

void AttentionWeightsGradient(const ScoresShape& shape, IndexRange range, const float* weights,
                              float* gradient) {
  const int64_t each = shape.rows * shape.columns;
  for (int64_t m = range.begin; m < range.end; ++m)
    AttentionWeightsGradient(shape, m, weights + m * each, gradient + m * each);
}

}  // namespace dl::nn
