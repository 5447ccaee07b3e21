// Compiles the layer of nn/conf/layers/subset.h.
#pragma once

#include <memory>

#include "nn/conf/layers/subset.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

std::unique_ptr<CompiledLayer> CompileSubset(const Subset& conf);

}  // namespace dl::nn
