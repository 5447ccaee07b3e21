// Computations of nn/conf/layers/gaussian_sample.h on plain rows. Sums run in ascending order.
#pragma once

#include <cstdint>

namespace dl::nn {

// Rows of `values` means, followed by as many logarithms of variances.
struct SampleShape {
  int64_t rows = 0, values = 0;
};
// deviations = exp(v / 2), [rows, values].
void DeviationsOf(const SampleShape& shape, const float* x, float* deviations);
// Returns the divergence of one row.
double DivergenceFromNormal(const SampleShape& shape, const float* x, const float* deviations,
                            int64_t row);
// y = m, [rows, values].
void TakeMeans(const SampleShape& shape, const float* x, float* y);

struct Drawn {
  const float* x;
  const float* deviations;
  const float* noise;  // [rows, values]
};
// y = m + deviation noise
void DrawSamples(const SampleShape& shape, const Drawn& drawn, float* y);
// `share` is the gradient of the total loss with respect to a row's divergence.
// dm = dy + share m;  dv = dy noise deviation / 2 + share (deviation^2 - 1) / 2
void DrawSamplesGradient(const SampleShape& shape, const Drawn& drawn, float share, const float* dy,
                         float* dx);

}  // namespace dl::nn
