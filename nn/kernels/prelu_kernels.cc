#include "nn/kernels/prelu_kernels.h"

#include <algorithm>

#include "nn/kernels/lanes.h"

namespace dl::nn {
namespace {

struct BySlope {
  const float *x, *dy;
  DL_ALWAYS_INLINE double operator()(int64_t i) const {
    // Not x > 0 ? 0 : dy x, because g++ 12 takes wrong lanes when it vectorizes that for x86-64-v3.
    return static_cast<double>(dy[i] * std::min(x[i], 0.0f));
  }
};

}  // namespace

DL_ISA_CLONES void PReluForward(const PReluShape& shape, const float* slope, const float* x,
                                float* y) {
  for (int64_t r = 0; r < shape.rows; ++r) {
    for (int64_t c = 0; c < shape.channels; ++c, x += shape.inner, y += shape.inner) {
      const float a = slope[shape.shared ? 0 : c];
      for (int64_t i = 0; i < shape.inner; ++i) y[i] = x[i] > 0.0f ? x[i] : a * x[i];
    }
  }
}

DL_ISA_CLONES void PReluBackward(const PReluShape& shape, IndexRange channels, const float* slope,
                                 const float* x, const float* dy, float* dx, double* sums) {
  const int64_t n = shape.inner;
  std::fill(sums + channels.begin, sums + channels.end, 0.0);
  for (int64_t r = 0; r < shape.rows; ++r) {
    for (int64_t c = channels.begin; c < channels.end; ++c) {
      const int64_t begin = (r * shape.channels + c) * n;
      sums[c] += ChunkedSum(n, BySlope{x + begin, dy + begin});
      if (dx == nullptr) continue;
      const float a = slope[shape.shared ? 0 : c];
      for (int64_t i = begin; i < begin + n; ++i) dx[i] = x[i] > 0.0f ? dy[i] : a * dy[i];
    }
  }
}

void PReluSlopeGradient(const PReluShape& shape, double* sums, float* dslope) {
  if (shape.shared) {
    for (int64_t c = 1; c < shape.channels; ++c) sums[0] += sums[c];
  }
  const int64_t slopes = shape.shared ? 1 : shape.channels;
  for (int64_t c = 0; c < slopes; ++c) dslope[c] = static_cast<float>(sums[c]);
}

}  // namespace dl::nn
