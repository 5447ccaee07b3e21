// Batch normalization of sequences of variable length, as plain rows [examples, steps, n]. Rows of
// padding are excluded from means, variances and gradients. Sums run over the other rows in
// ascending order, in double.
#pragma once

#include <cstdint>

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
// padding. `sums` is scratch memory of n doubles.
void MomentsOfSteps(const SequenceShape& steps, const float* x, float* mean, float* variance,
                    double* sums);

// y = gamma (x - mean) / sqrt(variance + epsilon) + beta; 0 in padding.
void StepNormForward(const StepNorm& norm, const float* x, const float* beta, float* y);

// The source of mean and variance. kOfSteps: MomentsOfSteps computed them from x, so the gradient
// flows through them. kGiven: they are constants.
enum class StepMoments : uint8_t { kOfSteps, kGiven };
struct StepNormGradients {
  float* dx = nullptr;      // 0 in padding; nullptr: not needed
  float* dgamma = nullptr;  // [n], required
  float* dbeta = nullptr;   // [n], required
};
// Computes the gradients from dy and overwrites the arrays of `out`. Does not read dy in padding.
void StepNormBackward(const StepNorm& norm, StepMoments moments, const float* x, const float* dy,
                      const StepNormGradients& out);

}  // namespace dl::nn
