// Windows of pooling over the steps of sequences with lengths of their own, of plain rows
// [examples, steps, n]: stride 1, as many steps as before. Padding after an example's last step is
// in no window, and is 0 in what comes out.
#pragma once

#include <cstdint>

#include "nn/kernels/sequences.h"

namespace dl::nn {

struct StepWindows {
  SequenceShape steps;
  int64_t kernel = 1;
  int64_t before = 0;  // window t begins at step t - before
  // Of a mean: divides by the kernel, not by the steps that are there.
  bool divides_by_kernel = false;
};

void MeanOfWindows(const StepWindows& windows, const float* x, float* y);
void MeanOfWindowsGradient(const StepWindows& windows, const float* dy, float* dx);
void LargestOfWindows(const StepWindows& windows, const float* x, float* y);
// To the earliest of equal ones.
void LargestOfWindowsGradient(const StepWindows& windows, const float* x, const float* dy,
                              float* dx);

// Sets the rows after each example's last step to 0.
void ClearPadding(const SequenceShape& steps, float* rows);

}  // namespace dl::nn
