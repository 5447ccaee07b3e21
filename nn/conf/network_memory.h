// How much memory a compiled network takes at most: known from the model alone, without kernels, so
// that a master can tell which executors hold it.
#pragma once

#include <cstdint>

#include "nn/conf/model_config.h"

namespace dl::nn {

struct NetworkShape {
  // As NetworkOptions has them.
  int64_t max_batch = 1;
  int64_t max_evaluation_batch = 0;
  int64_t micro_batch = 0;
  int64_t threads = 1;
  int64_t carried_rows = 0;
};

// In bytes. The total is an upper bound for every instruction set; tests/memory compares it with
// what the engine allocates and with what a process grows by.
struct NetworkMemory {
  // Parameters, moments, gradients, updater state, as kernels lay them out; what is carried.
  int64_t tensors = 0;
  int64_t arena = 0;    // activations (and gradients) of one minibatch, copies, scratch memory
  int64_t kernels = 0;  // compiled code and what describes it

  int64_t Total() const { return tensors + arena + kernels; }
};

// Never overflows: what is more than a machine has is kMaxNetworkBytes.
inline constexpr int64_t kMaxNetworkBytes = int64_t{1} << 55;
NetworkMemory NetworkMemoryAtMost(const ModelConfig& model, const NetworkShape& shape);

}  // namespace dl::nn
