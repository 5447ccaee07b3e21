// Layer, root mean square and L2 normalization of plain rows [rows, n]. Sums run in the order of
// nn/kernels/lanes.h. Sums over rows for the gradients of gamma and beta run in ascending order, in
// double; they are computed for the columns of a range. The other functions compute each row
// separately, so a part of the rows is a norm with fewer rows.
#pragma once

#include <cstdint>

#include "nn/kernels/index_range.h"

namespace dl::nn {

struct RowNorm {
  int64_t rows = 0, n = 0;
  double epsilon = 0;
  const float* gamma = nullptr;  // [n]

  // Returns the norm of some of the rows.
  RowNorm Slice(IndexRange range) const {
    RowNorm slice = *this;
    slice.rows = range.size();
    return slice;
  }
};

// y = gamma (x - mean) deviation + beta. Stores mean and deviation = 1 / sqrt(variance + epsilon),
// each [rows], for the gradient.
void RowNormForward(const RowNorm& norm, const float* x, const float* beta, float* y, float* mean,
                    float* deviation);

// Computes dx from dy. dx may be dy.
void RowNormBackward(const RowNorm& norm, const float* x, const float* mean, const float* deviation,
                     const float* dy, float* dx);
// The input, and what the forward step stored.
struct RowNormKept {
  const float *x, *mean, *deviation;
};
// Computes the gradients of gamma and beta from dy, and overwrites both. `sums` is scratch memory
// of 2 n doubles, each used by one column.
void RowNormSums(const RowNorm& norm, IndexRange columns, const RowNormKept& kept, const float* dy,
                 float* dgamma, float* dbeta, double* sums);

// y = gamma x scale. Stores scale = 1 / sqrt(mean of squares + epsilon), [rows], for the gradient.
void RmsNormForward(const RowNorm& norm, const float* x, float* y, float* scale);
// Computes dx from dy. dx may be dy.
void RmsNormBackward(const RowNorm& norm, const float* x, const float* scale, const float* dy,
                     float* dx);
// Computes the gradient of gamma from dy, and overwrites it. `sums` is scratch memory of n doubles,
// each used by one column.
void RmsNormSums(const RowNorm& norm, IndexRange columns, const float* x, const float* scale,
                 const float* dy, float* dgamma, double* sums);

// y = x scale, without gamma. Stores scale = 1 / sqrt(sum of squares + epsilon), [rows], for the
// gradient.
void L2NormForward(const RowNorm& norm, const float* x, float* y, float* scale);
// Computes dx from dy. dx may be dy.
void L2NormBackward(const RowNorm& norm, const float* x, const float* scale, const float* dy,
                    float* dx);

}  // namespace dl::nn
