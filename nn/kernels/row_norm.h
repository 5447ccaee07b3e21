// Layer, root mean square and L2 normalization of plain rows [rows, n]. Sums run in the order of
// nn/kernels/lanes.h. Sums over rows for the gradients of gamma and beta run in ascending order, in
// double.
#pragma once

#include <cstdint>

namespace dl::nn {

struct RowNorm {
  int64_t rows = 0, n = 0;
  double epsilon = 0;
  const float* gamma = nullptr;  // [n]
};

// y = gamma (x - mean) deviation + beta. Stores mean and deviation = 1 / sqrt(variance + epsilon),
// each [rows], for the gradient.
void RowNormForward(const RowNorm& norm, const float* x, const float* beta, float* y, float* mean,
                    float* deviation);

// Computes dx and the gradients of gamma and beta from dy, and overwrites all three. `sums` is
// scratch memory of 2 n doubles. dx may be dy, or nullptr if it is not needed.
void RowNormBackward(const RowNorm& norm, const float* x, const float* mean, const float* deviation,
                     const float* dy, float* dx, float* dgamma, float* dbeta, double* sums);

// y = gamma x scale. Stores scale = 1 / sqrt(mean of squares + epsilon), [rows], for the gradient.
void RmsNormForward(const RowNorm& norm, const float* x, float* y, float* scale);
// Computes dx and the gradient of gamma from dy, and overwrites both. `sums` is scratch memory of n
// doubles. dx may be dy or nullptr.
void RmsNormBackward(const RowNorm& norm, const float* x, const float* scale, const float* dy,
                     float* dx, float* dgamma, double* sums);

// y = x scale, without gamma. Stores scale = 1 / sqrt(sum of squares + epsilon), [rows], for the
// gradient.
void L2NormForward(const RowNorm& norm, const float* x, float* y, float* scale);
// Computes dx from dy. dx may be dy.
void L2NormBackward(const RowNorm& norm, const float* x, const float* scale, const float* dy,
                    float* dx);

}  // namespace dl::nn
