// Batch normalization over the steps that examples have, of plain rows [examples, steps, n] with
// lengths: padding is in no mean, no variance and no gradient. Sums run over the rows, ascending,
// in double.
#pragma once

#include <cstdint>

#include "nn/kernels/sequences.h"

namespace dl::nn {

struct StepNorm {
  SequenceShape steps;
  double epsilon = 0;
  const float* gamma = nullptr;     // [n]
  const float* mean = nullptr;      // [n]
  const float* variance = nullptr;  // [n]
};

// Rows that are no padding.
int64_t RealSteps(const SequenceShape& steps);

// Sets the mean and the biased variance of each of the n values; `sums` is scratch of n doubles.
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
// dy is not read in padding.
void StepNormBackward(const StepNorm& norm, StepMoments moments, const float* x, const float* dy,
                      const StepNormGradients& out);

}  // namespace dl::nn
