// The conditions under which a result is computed, set for the calling thread while it computes and
// put back after: the number of OpenMP threads of a kernel (part of the bits) and the
// floating-point mode of each of them.
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
