// Pooling windows over the steps of sequences of variable length, on plain rows [examples, steps,
// n]. The result has rows [examples, windows, n]. Padding after an example's last step is excluded
// from windows, and rows after an example's last window are 0.
#pragma once

#include <cstdint>

#include "nn/conf/step_lengths.h"
#include "nn/kernels/sequence_kernels.h"

namespace dl::nn {

struct StepWindows {
  SequenceShape steps;
  StepWindow window;    // determines how many windows an example has
  int64_t windows = 0;  // rows of each example in the result
  int64_t kernel = 1;   // steps of a window
  int64_t before = 0;   // window t begins at step t * stride - before
  // For a mean: divides by the kernel instead of the number of steps in the window.
  bool divides_by_kernel = false;
};

// Compute the mean or maximum of each window, and the gradients. NaN counts as the largest value.
// The gradient functions overwrite dx. The gradient of a step is the sum over all windows that
// contain the step. It is 0 in padding.
void MeanOfWindows(const StepWindows& windows, const float* x, float* y);
void MeanOfWindowsGradient(const StepWindows& windows, const float* dy, float* dx);
void LargestOfWindows(const StepWindows& windows, const float* x, float* y);
// For equal maxima, or several NaN, the gradient goes to the earliest of these steps.
void LargestOfWindowsGradient(const StepWindows& windows, const float* x, const float* dy,
                              float* dx);

// Sets the rows after each example's last step to 0.
void ClearPadding(const SequenceShape& steps, float* rows);

}  // namespace dl::nn
