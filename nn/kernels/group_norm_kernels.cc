#include "nn/kernels/group_norm_kernels.h"

#include <algorithm>
#include <cmath>

#include "nn/kernels/lanes.h"
#include "nn/kernels/terms.h"

namespace dl::nn {
namespace {

struct TimesNormalized {
  const float *dy, *x;
  float mean, deviation;
  DL_ALWAYS_INLINE double operator()(int64_t i) const {
    return static_cast<double>(dy[i] * ((x[i] - mean) * deviation));
  }
};

}  // namespace

DL_ISA_CLONES void GroupNormForward(const GroupNormShape& shape, IndexRange range, const float* x,
                                    const float* gamma, const float* beta, float* y, float* mean,
                                    float* deviation) {
  const int64_t channels = shape.channels / shape.groups;  // per group
  const int64_t n = channels * shape.area;
  x += range.begin * n;
  y += range.begin * n;
  for (int64_t r = range.begin; r < range.end; ++r) {
    const double m = ChunkedSum(n, Value{x}) / static_cast<double>(n);
    const double v = ChunkedSum(n, SquareFrom{x, m}) / static_cast<double>(n);
    const auto center = static_cast<float>(m);
    const auto scale = static_cast<float>(1.0 / std::sqrt(v + shape.epsilon));
    mean[r] = center;
    deviation[r] = scale;
    const int64_t first = r % shape.groups * channels;
    for (int64_t c = first; c < first + channels; ++c, x += shape.area, y += shape.area) {
      const float g = gamma[c], b = beta[c];
      for (int64_t i = 0; i < shape.area; ++i) y[i] = (x[i] - center) * scale * g + b;
    }
  }
}

DL_ISA_CLONES void GroupNormBackward(const GroupNormShape& shape, IndexRange range,
                                     const GroupNormKept& kept, const float* dy, float* dx,
                                     float* dgamma, float* dbeta, double* sums) {
  const int64_t channels = shape.channels / shape.groups;
  const int64_t n = channels * shape.area;
  double* const of_gamma = sums;
  double* const of_beta = sums + shape.channels;
  const IndexRange all{range.begin * channels, range.end * channels};
  std::fill(of_gamma + all.begin, of_gamma + all.end, 0.0);
  std::fill(of_beta + all.begin, of_beta + all.end, 0.0);
  for (int64_t i = 0; i < shape.examples * range.size(); ++i) {
    const int64_t group = range.begin + i % range.size();
    const int64_t r = i / range.size() * shape.groups + group;
    const float m = kept.mean[r], scale = kept.deviation[r];
    const float* const x = kept.x + r * n;
    const float* const d = dy + r * n;
    const int64_t first = group * channels;
    double sum = 0, sum_along = 0;
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t at = c * shape.area;
      const double along = ChunkedSum(shape.area, TimesNormalized{d + at, x + at, m, scale});
      const double plain = ChunkedSum(shape.area, Value{d + at});
      of_gamma[first + c] += along;
      of_beta[first + c] += plain;
      sum_along += static_cast<double>(kept.gamma[first + c]) * along;
      sum += static_cast<double>(kept.gamma[first + c]) * plain;
    }
    if (dx == nullptr) continue;
    const auto average = static_cast<float>(sum / static_cast<double>(n));
    const auto along = static_cast<float>(sum_along / static_cast<double>(n));
    float* const to = dx + r * n;
    for (int64_t c = 0; c < channels; ++c) {
      const float g = kept.gamma[first + c];
      for (int64_t j = c * shape.area; j < (c + 1) * shape.area; ++j)
        to[j] = scale * (d[j] * g - average - (x[j] - m) * scale * along);
    }
  }
  for (int64_t c = all.begin; c < all.end; ++c) dgamma[c] = static_cast<float>(of_gamma[c]);
  for (int64_t c = all.begin; c < all.end; ++c) dbeta[c] = static_cast<float>(of_beta[c]);
}

}  // namespace dl::nn
