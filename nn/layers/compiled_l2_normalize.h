// Compiles the layer of nn/conf/layers/l2_normalize.h.
#pragma once

#include <memory>

#include "nn/conf/layers/l2_normalize.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

std::unique_ptr<CompiledLayer> CompileL2Normalize(const L2Normalize& conf);

}  // namespace dl::nn
