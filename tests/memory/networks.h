// Networks whose real memory is compared with the estimate: usual shapes and random ones.
#pragma once

#include <string>
#include <vector>

#include "nn/conf/model_config.h"

namespace dl::test {

struct MemoryCase {
  std::string name;
  nn::ModelConfig model;
  int64_t batch = 1;
  int64_t micro_batch = 0;  // of training and of evaluation, if set
  int threads = 1;
};

// Returns networks of random layers and shapes. They are the same at each call.
std::vector<MemoryCase> RandomNetworks(int count);
// Returns networks so large that tensors and activations dominate the memory of the process.
std::vector<MemoryCase> LargeNetworks();

}  // namespace dl::test
