// Determines which cache sizes of a CPU influence the bits of a network, because oneDNN divides its
// work by them. tests/golden/kernel_bits_test.cc shows it; docs/adr/0008 explains it.
#pragma once

#include <cstdint>

#include "nn/conf/contract_id.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

// second: for grouped convolutions without a blocked kernel. last: for batch normalization that
// several threads compute.
CachesInBits CachesInBitsOf(const ModelConfig& model, int64_t threads);

}  // namespace dl::nn
