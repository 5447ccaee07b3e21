// Group normalization of plain images [examples, channels, area]. Sums over a group or channel run
// in the order of nn/kernels/lanes.h. Sums over examples for the gradients of gamma and beta run in
// ascending order, in double. Each function computes the groups of a range.
#pragma once

#include <cstdint>

#include "nn/kernels/index_range.h"

namespace dl::nn {

struct GroupNormShape {
  int64_t examples = 0, channels = 0, area = 0, groups = 1;
  double epsilon = 0;
};

// y = gamma (x - mean) deviation + beta. Stores mean and deviation = 1 / sqrt(variance + epsilon),
// each [examples, groups], for the gradient. The range is one of all examples * groups groups.
void GroupNormForward(const GroupNormShape& shape, IndexRange range, const float* x,
                      const float* gamma, const float* beta, float* y, float* mean,
                      float* deviation);

struct GroupNormKept {
  const float *x, *gamma, *mean, *deviation;
};
// Computes dx (unless it is nullptr) and the gradients of gamma and beta from dy, and overwrites
// all three, for all examples and the groups of a range of the `groups` groups. `sums` is scratch
// memory of 2 * channels doubles, each used by one group.
void GroupNormBackward(const GroupNormShape& shape, IndexRange range, const GroupNormKept& kept,
                       const float* dy, float* dx, float* dgamma, float* dbeta, double* sums);

}  // namespace dl::nn
