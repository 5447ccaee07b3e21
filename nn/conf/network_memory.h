// Upper bound of the memory of a compiled network. It is computed from the model alone, without
// kernels, so that the master knows which executors have enough memory.
#pragma once

#include <cstdint>

#include "nn/conf/model_config.h"

namespace dl::nn {

struct NetworkShape {
  // The values of NetworkOptions (nn/network.h). `threads` is the number of threads of a kernel.
  int64_t max_batch = 1;
  int64_t max_evaluation_batch = 0;
  int64_t micro_batch = 0;
  int64_t threads = 1;
  int64_t carried_rows = 0;
};

// Bytes. The total is an upper bound for every instruction set. tests/memory compares it with the
// memory that the engine allocates and with the growth of a process.
struct NetworkMemory {
  // Parameters, moments, gradients and updater state in the layout of the kernels, their copies in
  // the canonical layout, carried states, and working memory of losses.
  int64_t tensors = 0;
  int64_t arena = 0;    // activations and gradients of one minibatch, copies, scratch memory
  int64_t kernels = 0;  // oneDNN, its compiled code, and threads

  int64_t Total() const { return tensors + arena + kernels; }
};

// Never overflows. Larger numbers of bytes in `tensors` or `arena` become kMaxNetworkBytes, more
// than any machine has.
inline constexpr int64_t kMaxNetworkBytes = int64_t{1} << 55;
NetworkMemory NetworkMemoryAtMost(const ModelConfig& model, const NetworkShape& shape);

}  // namespace dl::nn
