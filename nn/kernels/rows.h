// Row-wise kernels over plain [rows, n] matrices: softmax and the losses. Sums run over the logical
// index with 16 lanes and one tree, whatever the alignment. Ties go to the lowest index.
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

// Sum of (y - t)^2 in double, ascending.
double SquaredErrorRow(const float* y, const float* target, int64_t n);
// gradient = (y - t) * scale.
void SquaredErrorGradient(const float* y, const float* target, int64_t n, float scale,
                          float* gradient);

// Sum of the squares of clamp(x, -bound, bound) in double: chunks of 1,024, each by 16 lanes and
// one tree, chunk sums added in ascending order.
double SumOfSquares(const float* x, int64_t n, float bound);

}  // namespace dl::nn
