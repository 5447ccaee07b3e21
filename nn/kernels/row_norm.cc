#include "nn/kernels/row_norm.h"

#include <algorithm>
#include <cmath>

#include "nn/kernels/lanes.h"
#include "nn/kernels/terms.h"

namespace dl::nn {
namespace {

// Gradient with respect to a normalized value.
struct Scaled {
  const float *dy, *gamma;
  DL_ALWAYS_INLINE double operator()(int64_t i) const {
    return static_cast<double>(dy[i] * gamma[i]);
  }
};

struct TimesScaled {
  const float *dy, *x;
  float scale;
  DL_ALWAYS_INLINE double operator()(int64_t i) const {
    return static_cast<double>(dy[i]) * static_cast<double>(x[i] * scale);
  }
};

struct ScaledTimesNormalized {
  const float *dy, *gamma, *x;
  float mean, deviation;
  DL_ALWAYS_INLINE double operator()(int64_t i) const {
    return static_cast<double>(dy[i] * gamma[i]) * static_cast<double>((x[i] - mean) * deviation);
  }
};

}  // namespace

DL_ISA_CLONES void RowNormForward(const RowNorm& norm, const float* x, const float* beta, float* y,
                                  float* mean, float* deviation) {
  const int64_t n = norm.n;
  const float* const gamma = norm.gamma;
  for (int64_t r = 0; r < norm.rows; ++r, x += n, y += n) {
    const double m = ChunkedSum(n, Value{x}) / static_cast<double>(n);
    const double v = ChunkedSum(n, SquareFrom{x, m}) / static_cast<double>(n);
    const auto center = static_cast<float>(m);
    const auto scale = static_cast<float>(1.0 / std::sqrt(v + norm.epsilon));
    mean[r] = center;
    deviation[r] = scale;
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - center) * scale * gamma[i] + beta[i];
  }
}

DL_ISA_CLONES void RowNormBackward(const RowNorm& norm, const float* x, const float* mean,
                                   const float* deviation, const float* dy, float* dx) {
  const int64_t n = norm.n;
  const float* const gamma = norm.gamma;
  for (int64_t r = 0; r < norm.rows; ++r, x += n, dy += n, dx += n) {
    const float m = mean[r], scale = deviation[r];
    const auto average =
        static_cast<float>(ChunkedSum(n, Scaled{dy, gamma}) / static_cast<double>(n));
    const auto along = static_cast<float>(
        ChunkedSum(n, ScaledTimesNormalized{dy, gamma, x, m, scale}) / static_cast<double>(n));
    for (int64_t i = 0; i < n; ++i) {
      const float normalized = (x[i] - m) * scale;
      dx[i] = scale * (dy[i] * gamma[i] - average - normalized * along);
    }
  }
}

DL_ISA_CLONES void RowNormSums(const RowNorm& norm, IndexRange columns, const RowNormKept& kept,
                               const float* dy, float* dgamma, float* dbeta, double* sums) {
  double* const of_gamma = sums;
  double* const of_beta = sums + norm.n;
  std::fill(of_gamma + columns.begin, of_gamma + columns.end, 0.0);
  std::fill(of_beta + columns.begin, of_beta + columns.end, 0.0);
  const float* x = kept.x;
  for (int64_t r = 0; r < norm.rows; ++r, x += norm.n, dy += norm.n) {
    const float m = kept.mean[r], scale = kept.deviation[r];
    for (int64_t i = columns.begin; i < columns.end; ++i) {
      of_gamma[i] += static_cast<double>(dy[i] * ((x[i] - m) * scale));
      of_beta[i] += static_cast<double>(dy[i]);
    }
  }
  for (int64_t i = columns.begin; i < columns.end; ++i) {
    dgamma[i] = static_cast<float>(of_gamma[i]);
    dbeta[i] = static_cast<float>(of_beta[i]);
  }
}

DL_ISA_CLONES void RmsNormForward(const RowNorm& norm, const float* x, float* y, float* scale) {
  const int64_t n = norm.n;
  const float* const gamma = norm.gamma;
  for (int64_t r = 0; r < norm.rows; ++r, x += n, y += n) {
    const double mean = ChunkedSum(n, SquareFrom{x, 0.0}) / static_cast<double>(n);
    const auto s = static_cast<float>(1.0 / std::sqrt(mean + norm.epsilon));
    scale[r] = s;
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] * s * gamma[i];
  }
}

DL_ISA_CLONES void RmsNormBackward(const RowNorm& norm, const float* x, const float* scale,
                                   const float* dy, float* dx) {
  const int64_t n = norm.n;
  const float* const gamma = norm.gamma;
  for (int64_t r = 0; r < norm.rows; ++r, x += n, dy += n, dx += n) {
    const float s = scale[r];
    const auto along = static_cast<float>(
        ChunkedSum(n, ScaledTimesNormalized{dy, gamma, x, 0.0f, s}) / static_cast<double>(n));
    for (int64_t i = 0; i < n; ++i) dx[i] = s * (dy[i] * gamma[i] - x[i] * s * along);
  }
}

DL_ISA_CLONES void RmsNormSums(const RowNorm& norm, IndexRange columns, const float* x,
                               const float* scale, const float* dy, float* dgamma, double* sums) {
  std::fill(sums + columns.begin, sums + columns.end, 0.0);
  for (int64_t r = 0; r < norm.rows; ++r, x += norm.n, dy += norm.n) {
    const float s = scale[r];
    for (int64_t i = columns.begin; i < columns.end; ++i)
      sums[i] += static_cast<double>(dy[i] * (x[i] * s));
  }
  for (int64_t i = columns.begin; i < columns.end; ++i) dgamma[i] = static_cast<float>(sums[i]);
}

DL_ISA_CLONES void L2NormForward(const RowNorm& norm, const float* x, float* y, float* scale) {
  const int64_t n = norm.n;
  for (int64_t r = 0; r < norm.rows; ++r, x += n, y += n) {
    const double squares = ChunkedSum(n, SquareFrom{x, 0.0});
    const auto s = static_cast<float>(1.0 / std::sqrt(squares + norm.epsilon));
    scale[r] = s;
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] * s;
  }
}

DL_ISA_CLONES void L2NormBackward(const RowNorm& norm, const float* x, const float* scale,
                                  const float* dy, float* dx) {
  const int64_t n = norm.n;
  for (int64_t r = 0; r < norm.rows; ++r, x += n, dy += n, dx += n) {
    const float s = scale[r];
    const auto along = static_cast<float>(ChunkedSum(n, TimesScaled{dy, x, s}));
    for (int64_t i = 0; i < n; ++i) dx[i] = s * (dy[i] - x[i] * s * along);
  }
}

}  // namespace dl::nn
