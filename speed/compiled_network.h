// Finds the memory and the kernels of a network on this machine, by compiling it without computing.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "nn/network.h"

namespace dl::speed {

// Bytes. nn/conf/network_memory.h has an upper bound for all machines instead.
struct NetworkMemory {
  int64_t tensors = 0, arena = 0;  // as in nn::Network::Buffers
  int64_t kernels = 0;             // code of kernels and their descriptions

  int64_t Total() const { return tensors + arena + kernels; }
};

struct CompiledNetwork {
  NetworkMemory memory;
  std::vector<nn::LayerKernels> kernels;  // nn::Network::Kernels
};

// Compiles the network for its largest steps. `memory` is by how much such steps let this process
// grow; kernels that this process has compiled before are not counted. Returns the errors of
// nn::Network::Create. Not thread-safe: no other thread may use much memory meanwhile.
StatusOr<CompiledNetwork> CompileNetwork(const nn::ModelConfig& model,
                                         const nn::NetworkOptions& options);

}  // namespace dl::speed
