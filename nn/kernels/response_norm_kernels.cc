#include "nn/kernels/response_norm_kernels.h"

#include <algorithm>

#include "nn/kernels/float_math.h"

namespace dl::nn {
namespace {

// Returns the natural logarithm of a positive normal number.
DL_ALWAYS_INLINE float LogF(float x) {
  const auto bits = std::bit_cast<int32_t>(x);
  const auto exponent = static_cast<float>((bits >> 23) - 127);
  const float mantissa = std::bit_cast<float>((bits & 0x007fffff) | 0x3f800000);
  return exponent * 0.693147181f + Log1pF(mantissa - 1.0f);
}

DL_ALWAYS_INLINE float InversePower(float base, float beta) { return ExpF(-beta * LogF(base)); }

// Range of the channels in a sum that is centred at `channel`.
struct Neighbours {
  int64_t first, last;
};
DL_ALWAYS_INLINE Neighbours Around(const ResponseNorm& norm, int64_t channel) {
  const int64_t reach = norm.size / 2;
  return {std::max<int64_t>(0, channel - reach), std::min(norm.channels - 1, channel + reach)};
}

}  // namespace

DL_ISA_CLONES void ResponseNormForward(const ResponseNorm& norm, const float* x, float* base,
                                       float* y) {
  const int64_t area = norm.area;
  const float alpha = norm.alpha, beta = norm.beta, k = norm.k;
  for (int64_t e = 0; e < norm.examples; ++e) {
    for (int64_t c = 0; c < norm.channels; ++c) {
      const auto [first, last] = Around(norm, c);
      float* const sum = base + c * area;
      std::fill_n(sum, area, 0.0f);
      for (int64_t j = first; j <= last; ++j) {
        const float* const of_j = x + j * area;
        for (int64_t i = 0; i < area; ++i) sum[i] += of_j[i] * of_j[i];
      }
      const float* const from = x + c * area;
      float* const to = y + c * area;
      for (int64_t i = 0; i < area; ++i) {
        sum[i] = k + alpha * sum[i];
        to[i] = from[i] * InversePower(sum[i], beta);
      }
    }
    x += norm.channels * area;
    base += norm.channels * area;
    y += norm.channels * area;
  }
}

int64_t ResponseNormScratch(const ResponseNorm& norm) { return (norm.channels + 1) * norm.area; }

DL_ISA_CLONES void ResponseNormBackward(const ResponseNorm& norm, IndexRange pixels, const float* x,
                                        const float* base, const float* dy, float* dx,
                                        float* scratch) {
  const int64_t area = norm.area, example = norm.channels * norm.area;
  const float beta = norm.beta, factor = 2.0f * norm.alpha * norm.beta;
  float* const sum = scratch + example;
  for (int64_t e = 0; e < norm.examples; ++e) {
    for (int64_t c = 0; c < norm.channels; ++c) {
      for (int64_t i = c * area + pixels.begin; i < c * area + pixels.end; ++i) {
        const float back = dy[i] * InversePower(base[i], beta);
        dx[i] = back;
        scratch[i] = back * x[i] / base[i];
      }
    }
    for (int64_t c = 0; c < norm.channels; ++c) {
      const auto [first, last] = Around(norm, c);
      std::fill(sum + pixels.begin, sum + pixels.end, 0.0f);
      for (int64_t j = first; j <= last; ++j) {
        const float* const of_j = scratch + j * area;
        for (int64_t i = pixels.begin; i < pixels.end; ++i) sum[i] += of_j[i];
      }
      const float* const from = x + c * area;
      float* const to = dx + c * area;
      for (int64_t i = pixels.begin; i < pixels.end; ++i) to[i] -= factor * from[i] * sum[i];
    }
    x += example;
    base += example;
    dy += example;
    dx += example;
  }
}

}  // namespace dl::nn
