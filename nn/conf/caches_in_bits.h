// Determines which cache sizes of a CPU influence the bits of a network, because oneDNN divides its
// work by them. tests/golden/kernel_bits_test.cc shows it; docs/adr/0008 explains it.
#pragma once

#include <cstdint>

#include "nn/conf/contract_id.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

// `second` is true if the model has a convolution with more than one group whose channels or
// filters per group are no multiple of 16. Groups of one channel and one filter do not count.
// `last` is true if the model has a batch normalization and `threads`, the threads of a network, is
// above 1. With bf16 both are true as a precaution, because no test shows which caches matter.
CachesInBits CachesInBitsOf(const ModelConfig& model, int64_t threads, Precision precision);

}  // namespace dl::nn
