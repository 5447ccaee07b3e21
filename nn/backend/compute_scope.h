// Sets the conditions under which a result is computed: the number of threads, which influences the
// bits of oneDNN's kernels, and the floating-point mode of each thread. Paravane's own loops use
// the same threads (nn/backend/parallel_for.h). The destructor restores the number and the mode of
// the calling thread, which must be the thread that created the object. The other threads keep the
// mode. Also turns off OpenMP's dynamic number of threads for the calling thread, for good.
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
  // Counts the threads of all scopes of the process. If they are more than the processors, short
  // loops are not divided: OpenMP's threads then sleep between loops, and waking them takes long.
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
