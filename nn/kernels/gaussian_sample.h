// What nn/conf/layers/gaussian_sample.h computes, on plain rows. Each value by itself, and sums in
// ascending order.
#pragma once

#include <cstdint>

namespace dl::nn {

// Rows of `values` means and as many logarithms of variances behind them.
struct SampleShape {
  int64_t rows = 0, values = 0;
};
// exp(v / 2), [rows, values].
void DeviationsOf(const SampleShape& shape, const float* x, float* deviations);
// Of one row.
double DivergenceFromNormal(const SampleShape& shape, const float* x, const float* deviations,
                            int64_t row);
void TakeMeans(const SampleShape& shape, const float* x, float* y);

struct Drawn {
  const float* x;
  const float* deviations;
  const float* noise;  // [rows, values]
};
// y = m + deviation noise
void DrawSamples(const SampleShape& shape, const Drawn& drawn, float* y);
// dm = dy + share m;  dv = dy noise deviation / 2 + share (deviation^2 - 1) / 2
void DrawSamplesGradient(const SampleShape& shape, const Drawn& drawn, float share, const float* dy,
                         float* dx);

}  // namespace dl::nn
