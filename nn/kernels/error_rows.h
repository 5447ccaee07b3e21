// Row-wise kernels of losses that compare outputs with numbers (nn/conf/losses has the formulas).
// Sums over a row are doubles in the order of nn/kernels/lanes.h, unless stated otherwise. A NaN
// makes the sum NaN, and the gradient of its value.
#pragma once

#include <cstdint>

namespace dl::nn {

// Sum of (y - t)^2, in ascending order.
double SquaredErrorRow(const float* y, const float* target, int64_t n);
// Sum of |y - t|.
double AbsoluteErrorRow(const float* y, const float* target, int64_t n);
// Sum of Huber's function of y - t.
double HuberRow(const float* y, const float* target, int64_t n, double delta);
// For logits z: sum of max(z, 0) - z t + log(1 + exp(-|z|)).
double BinaryCrossEntropyRow(const float* z, const float* target, int64_t n);
// As BinaryCrossEntropyRow, with the term of t of value i multiplied by w = weights[i mod count].
// The gradient is computed from the probabilities p: scale (p (1 + (w - 1) t) - w t).
struct PositiveWeights {
  const float* weights;
  int64_t count;
};
double WeightedBinaryCrossEntropyRow(const float* z, const float* target, int64_t n,
                                     const PositiveWeights& positive);
void WeightedErrorGradient(const float* p, const float* target, int64_t n,
                           const PositiveWeights& positive, float scale, float* gradient);
// For logarithms y of rates: sum of exp(y) - t y.
double PoissonRow(const float* y, const float* target, int64_t n);
// Sum of max(0, 1 - t y).
double HingeRow(const float* y, const float* target, int64_t n);
// Sum of the squares of max(0, 1 - t y).
double SquaredHingeRow(const float* y, const float* target, int64_t n);
// y = exp(y), in place.
void Exponential(float* y, int64_t n);

// gradient = (y - t) * scale.
void ErrorGradient(const float* y, const float* target, int64_t n, float scale, float* gradient);
// gradient = sign(y - t) * scale; 0 if y = t.
void AbsoluteErrorGradient(const float* y, const float* target, int64_t n, float scale,
                           float* gradient);
// gradient = clamp(y - t, -delta, delta) * scale.
struct HuberTerms {
  float delta = 1, scale = 1;
};
void HuberGradient(const float* y, const float* target, int64_t n, const HuberTerms& terms,
                   float* gradient);
// gradient = -t * scale if 1 - t y > 0, otherwise 0.
void HingeGradient(const float* y, const float* target, int64_t n, float scale, float* gradient);
// gradient = -t max(0, 1 - t y) * scale.
void SquaredHingeGradient(const float* y, const float* target, int64_t n, float scale,
                          float* gradient);

// Products of two rows, from which the cosine of their angle follows.
struct RowProducts {
  double of_both = 0, of_first = 0, of_second = 0;  // x.y, x.x, y.y
};
RowProducts ProductsOfRows(const float* x, const float* y, int64_t n);
// gradient = a x + b y.
struct Combination {
  float a = 0, b = 0;
};
void CombineRows(const float* x, const float* y, int64_t n, Combination by, float* gradient);

}  // namespace dl::nn
