// What two layers of rows give, brought together value by value: their mean or their product. Their
// sum and their concatenation are nn/layers/add.h and concat.h.
#pragma once

#include <memory>

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

enum class PairOf : uint8_t { kMean, kProduct };
std::unique_ptr<CompiledLayer> CompilePair(PairOf pair);

}  // namespace dl::nn
