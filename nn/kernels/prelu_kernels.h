// Rectifiers with trained slopes (nn/conf/layers/prelu.h) on plain tensors [rows, channels, inner].
#pragma once

#include <cstdint>

namespace dl::nn {

struct PReluShape {
  int64_t rows = 0, channels = 0, inner = 1;
  bool shared = false;  // one slope instead of [channels]
};
// y = x > 0 ? x : slope x.
void PReluForward(const PReluShape& shape, const float* slope, const float* x, float* y);

// Computes dx (unless it is nullptr) and the gradient of the slopes from dy, and overwrites both.
// Sums are doubles: within a channel of a row in the order of nn/kernels/lanes.h, over rows and
// then channels in ascending order. `sums` is scratch memory of one double per channel.
void PReluBackward(const PReluShape& shape, const float* slope, const float* x, const float* dy,
                   float* dx, double* sums, float* dslope);

}  // namespace dl::nn
