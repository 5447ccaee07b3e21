// Group normalization of plain images [examples, channels, area]. Sums over a group or channel run
// in the order of nn/kernels/lanes.h. Sums over examples for the gradients of gamma and beta run in
// ascending order, in double.
#pragma once

#include <cstdint>

namespace dl::nn {

struct GroupNormShape {
  int64_t examples = 0, channels = 0, area = 0, groups = 1;
  double epsilon = 0;
};

// y = gamma (x - mean) deviation + beta. Stores mean and deviation = 1 / sqrt(variance + epsilon),
// each [examples, groups], for the gradient.
void GroupNormForward(const GroupNormShape& shape, const float* x, const float* gamma,
                      const float* beta, float* y, float* mean, float* deviation);

struct GroupNormKept {
  const float *x, *gamma, *mean, *deviation;
};
// Computes dx (unless it is nullptr) and the gradients of gamma and beta from dy, and overwrites
// all three. `sums` is scratch memory of 2 * channels doubles.
void GroupNormBackward(const GroupNormShape& shape, const GroupNormKept& kept, const float* dy,
                       float* dx, float* dgamma, float* dbeta, double* sums);

}  // namespace dl::nn
