// Compiles the layer of nn/conf/layers/batch_norm.h.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// REQUIRES: layer.conf holds a BatchNorm.
std::unique_ptr<CompiledLayer> CompileBatchNorm(const LayerConfig& layer);

}  // namespace dl::nn
