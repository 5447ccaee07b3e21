// Rectifiers with trained slopes (nn/conf/layers/prelu.h) on plain tensors [rows, channels, inner].
#pragma once

#include <cstdint>

#include "nn/kernels/index_range.h"

namespace dl::nn {

struct PReluShape {
  int64_t rows = 0, channels = 0, inner = 1;
  bool shared = false;  // one slope instead of [channels]
};
// y = x > 0 ? x : slope x. Computes each row separately.
void PReluForward(const PReluShape& shape, const float* slope, const float* x, float* y);

// Computes dx (unless it is nullptr) and the sums of the slopes' gradients from dy, and overwrites
// both, for the channels of a range. Sums are doubles, one for each channel: within a channel of a
// row in the order of nn/kernels/lanes.h, over rows in ascending order.
void PReluBackward(const PReluShape& shape, IndexRange channels, const float* slope, const float* x,
                   const float* dy, float* dx, double* sums);
// Sets the gradient of the slopes from the sums of all channels. Overwrites `sums`. The sum over
// channels runs in ascending order.
void PReluSlopeGradient(const PReluShape& shape, double* sums, float* dslope);

}  // namespace dl::nn
