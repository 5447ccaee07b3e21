// Compiles the layer of nn/conf/layers/layer_norm.h.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Returns the layer, not planned yet. REQUIRES: layer.conf holds a LayerNorm.
std::unique_ptr<CompiledLayer> CompileLayerNorm(const LayerConfig& layer);

}  // namespace dl::nn
