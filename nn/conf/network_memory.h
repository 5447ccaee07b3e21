// Upper bound of the memory of a compiled network. It is computed from the model alone, without
// kernels, so that the master knows which executors have enough memory.
#pragma once

#include <cstdint>

#include "nn/conf/model_config.h"
#include "nn/conf/precision.h"

namespace dl::nn {

struct NetworkShape {
  // The values of NetworkOptions (nn/network.h). `threads` is the number of threads of a kernel.
  int64_t max_batch = 1;             // 0: the network only evaluates
  int64_t max_evaluation_batch = 0;  // 0: max_batch; not 0 if max_batch is 0
  int64_t micro_batch = 0;           // 0: a minibatch is not divided
  int64_t threads = 1;
  Precision precision = Precision::kFloat32;
  int64_t carried_rows = 0;
  bool checkpoint_activations = false;
};

// Bytes. Only the total is meant as an upper bound, for every instruction set. tests/memory
// compares it with the memory that the engine allocates and with the growth of a process.
struct NetworkMemory {
  // Memory that exists between steps: parameters, running moments and updater state in the layouts
  // of the kernels, gradients that are not consumed during the backward pass, and sums of the
  // gradients of micro-batches. Also copies of weights in bf16, canonical copies from which norms
  // are computed, carried states, and working memory of losses.
  int64_t tensors = 0;
  // Activations, their gradients, gradients of parameters that are consumed, copies of them in
  // other layouts, and scratch memory, for the examples that are computed at once. In training
  // these are a micro-batch, or the minibatch if it is not divided. In an evaluation they are an
  // evaluation batch. The larger need counts.
  int64_t arena = 0;
  int64_t kernels = 0;  // oneDNN, its compiled code, and threads

  int64_t Total() const { return tensors + arena + kernels; }
};

// Largest value of `tensors` and of `arena`, more than any machine has.
inline constexpr int64_t kMaxNetworkBytes = int64_t{1} << 55;
// Returns an upper bound of the memory of a network with these options. Never overflows: a larger
// number of bytes in `tensors` or `arena` becomes kMaxNetworkBytes.
NetworkMemory NetworkMemoryAtMost(const ModelConfig& model, const NetworkShape& shape);

}  // namespace dl::nn
