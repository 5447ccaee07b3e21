// Sets the conditions under which a result is computed: the number of threads, which influences the
// bits of oneDNN's kernels, and the floating-point mode of each thread. Paravane's own loops use
// the same threads (nn/backend/parallel_for.h). Restores both on destruction, for the calling
// thread, which must be the thread that created the object. The other threads keep the mode. Also
// turns off OpenMP's dynamic number of threads for the calling thread, for good.
#pragma once

#include "nn/backend/parallel_for.h"
#include "nn/kernels/floating_point_mode.h"

namespace dl::nn {

class ComputeScope {
 public:
  explicit ComputeScope(int threads);
  ~ComputeScope();
  ComputeScope(const ComputeScope&) = delete;
  ComputeScope& operator=(const ComputeScope&) = delete;

 private:
  // The threads of this scope, among those of the process.
  struct Share {
    explicit Share(int count);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    int threads;
  };
  int threads_before_;
  Share share_;
  LoopThreads loops_;
  FloatingPointMode mode_;
};

}  // namespace dl::nn
