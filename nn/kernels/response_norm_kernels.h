// Local response normalization of plain images [examples, channels, area]. The formula is in
// nn/conf/layers/local_response_norm.h. Sums run in ascending order of channels. The bits are equal
// under every instruction set.
#pragma once

#include <cstdint>

#include "nn/kernels/index_range.h"

namespace dl::nn {

struct ResponseNorm {
  int64_t examples = 0, channels = 0, area = 0;
  int64_t size = 1;  // odd
  float alpha = 0, beta = 0, k = 1;
};

// Computes y. Stores the base of each value's power, [examples, channels, area], for the gradient.
// Computes each example separately.
void ResponseNormForward(const ResponseNorm& norm, const float* x, float* base, float* y);

// Returns the number of floats of scratch memory that the gradient needs.
int64_t ResponseNormScratch(const ResponseNorm& norm);
// With p = base ^ -beta: dx[c] = dy[c] p[c] - 2 alpha beta x[c] * sum of dy[j] x[j] p[j] / base[j]
// over the channels j whose sum contains c. Computes the pixels of a range, in all examples. dx
// must not be dy.
void ResponseNormBackward(const ResponseNorm& norm, IndexRange pixels, const float* x,
                          const float* base, const float* dy, float* dx, float* scratch);

}  // namespace dl::nn
