// Batch normalization of plain rows [rows, channels], for example of the pixels of images with
// channels last. Each function computes the channels of a range.
//
// Order of additions: a sum over rows is divided into blocks of 256 rows. A block is a chain of
// additions of floats from +0, and the sums of blocks are added in ascending order, in double.
#pragma once

#include <cstdint>

#include "nn/kernels/index_range.h"

namespace dl::nn {

struct BatchNormRows {
  int64_t rows = 0, channels = 0;
  double epsilon = 0;
  const float* gamma = nullptr;     // [channels]
  const float* mean = nullptr;      // [channels]
  const float* variance = nullptr;  // [channels]
};

// Sets the mean and the biased variance of each channel. The variance is computed in a second pass,
// from the distances to the mean. Reads only the sizes of `norm`.
void BatchNormMoments(const BatchNormRows& norm, IndexRange channels, const float* x, float* mean,
                      float* variance);

// y = gamma (x - mean) / sqrt(variance + epsilon) + beta.
void BatchNormForward(const BatchNormRows& norm, IndexRange channels, const float* x,
                      const float* beta, float* y);

struct BatchNormGradients {
  float* dx = nullptr;      // [rows, channels]
  float* dgamma = nullptr;  // [channels]
  float* dbeta = nullptr;   // [channels]
};
// Computes the gradients from dy. `of_rows`: mean and variance are those of x, so the gradient
// flows through them; otherwise they are constants.
void BatchNormBackward(const BatchNormRows& norm, IndexRange channels, bool of_rows, const float* x,
                       const float* dy, const BatchNormGradients& out);

}  // namespace dl::nn
