#include "nn/kernels/attention_kernels.h"

#include <algorithm>

#include "nn/kernels/clones.h"
#include "nn/kernels/row_kernels.h"

namespace dl::nn {
namespace {

// Calls visit(index in the rows, index in the matrices) for the values of each head at each step.
template <typename Visit>
void VisitHeads(const HeadsShape& s, const Visit& visit) {
  for (int64_t e = 0; e < s.examples; ++e) {
    for (int64_t h = 0; h < s.heads; ++h) {
      for (int64_t t = 0; t < s.steps; ++t) {
        visit((e * s.steps + t) * s.width + s.begin + h * s.size,
              ((e * s.heads + h) * s.steps + t) * s.size);
      }
    }
  }
}

DL_ISA_CLONES void Scale(float* x, int64_t n, float factor) {
  for (int64_t i = 0; i < n; ++i) x[i] *= factor;
}

}  // namespace

void SplitHeads(const HeadsShape& shape, const float* rows, float* matrices) {
  VisitHeads(shape, [&](int64_t row, int64_t matrix) {
    std::copy_n(rows + row, shape.size, matrices + matrix);
  });
}

void MergeHeads(const HeadsShape& shape, const float* matrices, float* rows) {
  VisitHeads(shape, [&](int64_t row, int64_t matrix) {
    std::copy_n(matrices + matrix, shape.size, rows + row);
  });
}

void AttentionWeights(const ScoresShape& shape, float* scores) {
  for (int64_t m = 0; m < shape.matrices; ++m) {
    for (int64_t r = 0; r < shape.rows; ++r, scores += shape.columns) {
      const int64_t seen = shape.SeenBy(m, r);
      Scale(scores, seen, shape.scale);
      SoftmaxForward(scores, 1, seen);
      std::fill(scores + seen, scores + shape.columns, 0.0f);
    }
  }
}

void AttentionWeightsGradient(const ScoresShape& shape, const float* weights, float* gradient) {
  for (int64_t m = 0; m < shape.matrices; ++m) {
    for (int64_t r = 0; r < shape.rows; ++r, weights += shape.columns, gradient += shape.columns) {
      const int64_t seen = shape.SeenBy(m, r);
      SoftmaxBackward(weights, gradient, 1, seen);
      Scale(gradient, seen, shape.scale);
      std::fill(gradient + seen, gradient + shape.columns, 0.0f);
    }
  }
}

}  // namespace dl::nn
