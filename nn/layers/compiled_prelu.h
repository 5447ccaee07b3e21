// Compiles the layer of nn/conf/layers/prelu.h.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// REQUIRES: layer.conf holds a PRelu.
std::unique_ptr<CompiledLayer> CompilePRelu(const LayerConfig& layer);

}  // namespace dl::nn
