// Batch normalization over the steps that examples have, on plain rows [examples, steps, n] of
// variable length. Padding is excluded from means, variances and gradients. Sums run over the rows
// in ascending order, in double.
#pragma once

#include <cstdint>

#include "nn/kernels/sequence_kernels.h"

namespace dl::nn {

// Sequences, and the values per feature with which they are normalized.
struct StepNorm {
  SequenceShape steps;
  double epsilon = 0;
  const float* gamma = nullptr;     // [n]
  const float* mean = nullptr;      // [n]
  const float* variance = nullptr;  // [n]
};

// Returns the number of rows that are not padding.
int64_t RealSteps(const SequenceShape& steps);

// Sets the mean and the biased variance of each of the n values. `sums` is scratch memory of n
// doubles.
void MomentsOfSteps(const SequenceShape& steps, const float* x, float* mean, float* variance,
                    double* sums);

// y = gamma (x - mean) / sqrt(variance + epsilon) + beta; 0 in padding.
void StepNormForward(const StepNorm& norm, const float* x, const float* beta, float* y);

// Whether mean and variance depend on x.
enum class StepMoments : uint8_t { kOfSteps, kGiven };
struct StepNormGradients {
  float* dx = nullptr;  // 0 in padding; nullptr: not needed
  float* dgamma = nullptr;
  float* dbeta = nullptr;
};
// Does not read dy in padding.
void StepNormBackward(const StepNorm& norm, StepMoments moments, const float* x, const float* dy,
                      const StepNormGradients& out);

}  // namespace dl::nn
