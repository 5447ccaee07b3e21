// Batch normalization of sequences of variable length, as plain rows [examples, steps, n]. Rows of
// padding are excluded from means, variances and gradients. Sums run over the other rows in
// ascending order, in double. Each function computes the features of a range.
#pragma once

#include <cstdint>

#include "nn/kernels/index_range.h"
#include "nn/kernels/sequence_kernels.h"

namespace dl::nn {

// The shape of the sequences, and the values that normalize each of the n features.
struct StepNorm {
  SequenceShape steps;
  double epsilon = 0;
  const float* gamma = nullptr;     // [n]
  const float* mean = nullptr;      // [n]
  const float* variance = nullptr;  // [n]
};

// Returns the number of rows that are not padding.
int64_t RealSteps(const SequenceShape& steps);

// Sets the mean and the biased variance of each of the n features over the rows that are not
// padding. `sums` is scratch memory of n doubles, each used by one feature.
void MomentsOfSteps(const SequenceShape& steps, IndexRange features, const float* x, float* mean,
                    float* variance, double* sums);

// y = gamma (x - mean) / sqrt(variance + epsilon) + beta. Does not write y in padding.
void StepNormForward(const StepNorm& norm, IndexRange features, const float* x, const float* beta,
                     float* y);

// The source of mean and variance. kOfSteps: MomentsOfSteps computed them from x, so the gradient
// flows through them. kGiven: they are constants.
enum class StepMoments : uint8_t { kOfSteps, kGiven };
struct StepNormGradients {
  float* dx = nullptr;      // nullptr: not needed. The caller sets it to 0 in padding
  float* dgamma = nullptr;  // [n], required
  float* dbeta = nullptr;   // [n], required
};
// Computes the gradients from dy and overwrites the arrays of `out`. Does not read dy in padding.
void StepNormBackward(const StepNorm& norm, IndexRange features, StepMoments moments,
                      const float* x, const float* dy, const StepNormGradients& out);

}  // namespace dl::nn
