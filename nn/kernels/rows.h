// Row-wise kernels over plain [rows, n] matrices: softmax and its cross-entropy. Sums run in the
// order of nn/kernels/lanes.h. Ties go to the lowest index.
#pragma once

#include <cstdint>

namespace dl::nn {

// Row by row, in place: exp(x - max) / sum.
void SoftmaxForward(float* x, int64_t rows, int64_t n);
// dx = y * (dy - sum(dy * y)), written over dy.
void SoftmaxBackward(const float* y, float* dy, int64_t rows, int64_t n);

int64_t ArgMax(const float* x, int64_t n);  // lowest index of the largest; a NaN counts as largest

// One row of softmax cross-entropy, in place: x becomes the probabilities. Returns -log(probability
// of `label`) in double.
double SoftmaxCrossEntropyRow(float* x, int64_t n, int64_t label);
// gradient = (probabilities - onehot(label)) * scale.
void SoftmaxCrossEntropyGradient(const float* probabilities, int64_t n, int64_t label, float scale,
                                 float* gradient);

// The same against (1 - smoothing) onehot(label) + smoothing / n instead of the class alone.
struct SmoothedLabel {
  int64_t label = 0;
  double smoothing = 0;
};
double SmoothedCrossEntropyRow(float* x, int64_t n, const SmoothedLabel& expected);
void SmoothedCrossEntropyGradient(const float* probabilities, int64_t n,
                                  const SmoothedLabel& expected, float scale, float* gradient);

// One row of the divergence of softmax from `targets`, which are not negative, in place: x becomes
// the probabilities. Sum of t (log t - log(probability)).
double DivergenceRow(float* x, const float* targets, int64_t n);
// gradient = (sum(t) probabilities - t) * scale.
void DivergenceGradient(const float* probabilities, const float* targets, int64_t n, float scale,
                        float* gradient);

// Sum of the squares of clamp(x, -bound, bound) in double.
double SumOfSquares(const float* x, int64_t n, float bound);

}  // namespace dl::nn
