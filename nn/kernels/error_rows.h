// Row-wise kernels of the losses that compare outputs with numbers (nn/conf/losses states them).
// Sums over a row are doubles in the order of nn/kernels/lanes.h, but where something else is said;
// a value that is no number makes them one that is none.
#pragma once

#include <cstdint>

namespace dl::nn {

// Sum of (y - t)^2, ascending.
double SquaredErrorRow(const float* y, const float* target, int64_t n);
// Sum of |y - t|.
double AbsoluteErrorRow(const float* y, const float* target, int64_t n);
// Sum of Huber's function of y - t.
double HuberRow(const float* y, const float* target, int64_t n, double delta);
// Of logits: sum of max(z, 0) - z t + log(1 + exp(-|z|)).
double BinaryCrossEntropyRow(const float* z, const float* target, int64_t n);

// gradient = (y - t) * scale.
void ErrorGradient(const float* y, const float* target, int64_t n, float scale, float* gradient);
// gradient = sign(y - t) * scale; 0 where they are equal.
void AbsoluteErrorGradient(const float* y, const float* target, int64_t n, float scale,
                           float* gradient);
// gradient = clamp(y - t, -delta, delta) * scale.
struct HuberTerms {
  float delta = 1, scale = 1;
};
void HuberGradient(const float* y, const float* target, int64_t n, const HuberTerms& terms,
                   float* gradient);

}  // namespace dl::nn
