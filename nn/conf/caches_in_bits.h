// Which caches of a CPU are in the bits of a network, because oneDNN divides its work by their
// sizes: what tests/golden/kernel_bits_test.cc found, and docs/adr/0008 tells.
#pragma once

#include <cstdint>

#include "nn/conf/contract_id.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

// The second: of convolutions in groups that it has no kernel of blocks for. The last: of batch
// normalization that several threads compute.
CachesInBits CachesInBitsOf(const ModelConfig& model, int64_t threads);

}  // namespace dl::nn
