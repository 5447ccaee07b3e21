// Determines which cache sizes of a CPU influence the bits of a network, because oneDNN divides its
// work by them. tests/golden/kernel_bits_test.cc shows it; docs/adr/0008 explains it.
#pragma once

#include <cstdint>

#include "nn/conf/contract_id.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

// `second` is true if the model has a grouped convolution without a blocked kernel. `last` is true
// if the model has a batch normalization and `threads` is above 1. Both are true with bf16, for
// which no test shows which caches matter.
CachesInBits CachesInBitsOf(const ModelConfig& model, int64_t threads, Precision precision);

}  // namespace dl::nn
