// Pooling windows over the steps of sequences of variable length, on plain rows [examples, steps,
// n]. The stride is 1, and the number of steps stays the same. Padding after an example's last step
// is excluded from windows and is 0 in the result.
#pragma once

#include <cstdint>

#include "nn/kernels/sequence_kernels.h"

namespace dl::nn {

struct StepWindows {
  SequenceShape steps;
  int64_t kernel = 1;
  int64_t before = 0;  // window t begins at step t - before
  // For a mean: divides by the kernel instead of the number of steps in the window.
  bool divides_by_kernel = false;
};

// Compute the mean or maximum of each window, and the gradients.
void MeanOfWindows(const StepWindows& windows, const float* x, float* y);
void MeanOfWindowsGradient(const StepWindows& windows, const float* dy, float* dx);
void LargestOfWindows(const StepWindows& windows, const float* x, float* y);
// For equal maxima, the gradient goes to the earliest step.
void LargestOfWindowsGradient(const StepWindows& windows, const float* x, const float* dy,
                              float* dx);

// Sets the rows after each example's last step to 0.
void ClearPadding(const SequenceShape& steps, float* rows);

}  // namespace dl::nn
