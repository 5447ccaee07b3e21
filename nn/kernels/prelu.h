// Rectifiers with learned slopes (nn/conf/layers/prelu.h) over plain tensors [rows, channels,
// inner].
#pragma once

#include <cstdint>

namespace dl::nn {

struct PReluShape {
  int64_t rows = 0, channels = 0, inner = 1;
  bool shared = false;  // one slope, instead of [channels]
};
void PReluForward(const PReluShape& shape, const float* slope, const float* x, float* y);

// dx, which may be nullptr, and the slopes' gradient, of dy. Sums of doubles: within a channel of a
// row in the order of nn/kernels/lanes.h, over rows and then channels ascending. `sums` is scratch
// of a double for each channel.
void PReluBackward(const PReluShape& shape, const float* slope, const float* x, const float* dy,
                   float* dx, double* sums, float* dslope);

}  // namespace dl::nn
