// Compiles the layer of nn/conf/layers/rms_norm.h.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// REQUIRES: layer.conf holds an RmsNorm.
std::unique_ptr<CompiledLayer> CompileRmsNorm(const LayerConfig& layer);

}  // namespace dl::nn
