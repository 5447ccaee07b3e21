// Row-wise kernels on plain matrices [rows, n]: softmax and its cross-entropy. Sums run in the
// order of nn/kernels/lanes.h. For equal values the lowest index is used.
#pragma once

#include <cstdint>

namespace dl::nn {

// In place, for each row: exp(x - max) / sum.
void SoftmaxForward(float* x, int64_t rows, int64_t n);
// dx = y * (dy - sum(dy * y)), written to dy.
void SoftmaxBackward(const float* y, float* dy, int64_t rows, int64_t n);

// Lowest index of the largest value; NaN counts as the largest.
int64_t ArgMax(const float* x, int64_t n);

// Softmax cross-entropy of one row, in place: x becomes the probabilities. Returns -log(probability
// of `label`) in double. Returns NaN if a value is NaN or positive infinity, like the other
// functions that return the loss of a row.
double SoftmaxCrossEntropyRow(float* x, int64_t n, int64_t label);
// gradient = (probabilities - onehot(label)) * scale. `gradient` may be `probabilities`.
void SoftmaxCrossEntropyGradient(const float* probabilities, int64_t n, int64_t label, float scale,
                                 float* gradient);
// Does the same as both, bit for bit, in fewer passes over the row: x becomes the gradient.
double SoftmaxCrossEntropyStep(float* x, int64_t n, int64_t label, float scale);

// As the three functions above, with the distribution (1 - smoothing) onehot(label) + smoothing / n
// instead of onehot(label).
struct SmoothedLabel {
  int64_t label = 0;
  double smoothing = 0;
};
double SmoothedCrossEntropyRow(float* x, int64_t n, const SmoothedLabel& expected);
void SmoothedCrossEntropyGradient(const float* probabilities, int64_t n,
                                  const SmoothedLabel& expected, float scale, float* gradient);
double SmoothedCrossEntropyStep(float* x, int64_t n, const SmoothedLabel& expected, float scale);

// Divergence of softmax from `targets` for one row, in place: x becomes the probabilities. Returns
// the sum of t (log t - log(probability)). REQUIRES: targets >= 0.
double DivergenceRow(float* x, const float* targets, int64_t n);
// gradient = (sum(t) probabilities - t) * scale.
void DivergenceGradient(const float* probabilities, const float* targets, int64_t n, float scale,
                        float* gradient);

// Returns the sum of the squares of clamp(x, -bound, bound), in double.
double SumOfSquares(const float* x, int64_t n, float bound);

}  // namespace dl::nn
