// The memory that a network takes on this machine, found by compiling it without computing.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "nn/network.h"

namespace dl::speed {

// Bytes. nn/conf/network_memory.h has an upper bound for all machines instead.
struct NetworkMemory {
  int64_t tensors = 0, arena = 0;  // as in nn::Network::Buffers
  int64_t kernels = 0;             // code of kernels and their descriptions

  int64_t Total() const { return tensors + arena + kernels; }
};

// Compiles the network and returns by how much it lets this process grow when it makes its largest
// steps. Kernels that this process has compiled before are not counted. Returns the errors of
// nn::Network::Create. Not thread-safe: no other thread may use much memory meanwhile.
StatusOr<NetworkMemory> MeasureNetworkMemory(const nn::ModelConfig& model,
                                             const nn::NetworkOptions& options);

}  // namespace dl::speed
