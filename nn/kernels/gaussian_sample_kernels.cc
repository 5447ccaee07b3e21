#include "nn/kernels/gaussian_sample_kernels.h"

#include <algorithm>

#include "nn/kernels/float_math.h"

namespace dl::nn {

DL_ISA_CLONES void DeviationsOf(const SampleShape& s, const float* x, float* deviations) {
  for (int64_t r = 0; r < s.rows; ++r, x += 2 * s.values, deviations += s.values) {
    for (int64_t i = 0; i < s.values; ++i) deviations[i] = ExpF(0.5f * x[s.values + i]);
  }
}

double DivergenceFromNormal(const SampleShape& s, const float* x, const float* deviations,
                            int64_t row) {
  const float* const means = x + row * 2 * s.values;
  const float* const logs = means + s.values;
  deviations += row * s.values;
  double sum = 0;
  for (int64_t i = 0; i < s.values; ++i) {
    const double m = means[i], d = deviations[i], v = logs[i];
    sum += m * m + d * d - 1.0 - v;
  }
  return 0.5 * sum;
}

void TakeMeans(const SampleShape& s, const float* x, float* y) {
  for (int64_t r = 0; r < s.rows; ++r)
    std::copy_n(x + r * 2 * s.values, s.values, y + r * s.values);
}

DL_ISA_CLONES void DrawSamples(const SampleShape& s, const Drawn& drawn, float* y) {
  const float* m = drawn.x;
  const float* d = drawn.deviations;
  const float* e = drawn.noise;
  for (int64_t r = 0; r < s.rows; ++r) {
    for (int64_t i = 0; i < s.values; ++i) y[i] = m[i] + d[i] * e[i];
    m += 2 * s.values;
    d += s.values;
    e += s.values;
    y += s.values;
  }
}

DL_ISA_CLONES void DrawSamplesGradient(const SampleShape& s, const Drawn& drawn, float share,
                                       const float* dy, float* dx) {
  const float* m = drawn.x;
  const float* d = drawn.deviations;
  const float* e = drawn.noise;
  for (int64_t r = 0; r < s.rows; ++r) {
    for (int64_t i = 0; i < s.values; ++i) {
      dx[i] = dy[i] + share * m[i];
      dx[s.values + i] = 0.5f * (dy[i] * (e[i] * d[i]) + share * (d[i] * d[i] - 1.0f));
    }
    m += 2 * s.values;
    d += s.values;
    e += s.values;
    dy += s.values;
    dx += 2 * s.values;
  }
}

}  // namespace dl::nn
