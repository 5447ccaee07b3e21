// Sets the conditions under which a result is computed: the number of OpenMP threads of a kernel,
// which influences the bits of results, and the floating-point mode of each of these threads.
// Restores both on destruction, for the calling thread, which must be the thread that created the
// object. The other threads keep the mode. Also turns off OpenMP's dynamic number of threads for
// the calling thread, for good.
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
