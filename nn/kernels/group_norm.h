// Group normalization over plain images [examples, channels, area]. Sums over a group or a channel
// run in the order of nn/kernels/lanes.h; those of gamma's and beta's gradients over the examples,
// ascending, in double.
#pragma once

#include <cstdint>

namespace dl::nn {

struct GroupNormShape {
  int64_t examples = 0, channels = 0, area = 0, groups = 1;
  double epsilon = 0;
};

// y = gamma (x - mean) deviation + beta; mean and deviation = 1 / sqrt(variance + epsilon), each
// [examples, groups], are kept for the gradient.
void GroupNormForward(const GroupNormShape& shape, const float* x, const float* gamma,
                      const float* beta, float* y, float* mean, float* deviation);

struct GroupNormKept {
  const float *x, *gamma, *mean, *deviation;
};
// dx, unless it is nullptr, and the gradients of gamma and beta, of dy; `sums` is scratch of 2
// channels doubles.
void GroupNormBackward(const GroupNormShape& shape, const GroupNormKept& kept, const float* dy,
                       float* dx, float* dgamma, float* dbeta, double* sums);

}  // namespace dl::nn
