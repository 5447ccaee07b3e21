// Networks whose memory is compared with what is said of it: shapes that people train, and what
// chance makes.
#pragma once

#include <string>
#include <vector>

#include "nn/conf/model_config.h"

namespace dl::test {

struct MemoryCase {
  std::string name;
  nn::ModelConfig model;
  int64_t batch = 1;
  int64_t micro_batch = 0;  // and of evaluations, where there is one
  int threads = 1;
};

// Random layers of random shapes; the same ones each time.
std::vector<MemoryCase> RandomNetworks(int count);
// Large enough that a process shows their tensors and activations, not its own start.
std::vector<MemoryCase> LargeNetworks();

}  // namespace dl::test
