// Sets the conditions under which a result is computed, for the calling thread, and restores them
// on destruction: the number of OpenMP threads of a kernel, which influences the bits of results,
// and the floating-point mode of each of these threads.
#pragma once

#include "nn/kernels/floating_point_mode.h"

namespace dl::nn {

class ComputeScope {
 public:
  explicit ComputeScope(int threads);
  ~ComputeScope();
  ComputeScope(const ComputeScope&) = delete;
  ComputeScope& operator=(const ComputeScope&) = delete;

 private:
  int threads_before_;
  FloatingPointMode mode_;
};

}  // namespace dl::nn
