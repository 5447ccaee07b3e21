// Compiles the layer of nn/conf/layers/batch_norm.h for sequences of variable length.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// REQUIRES: layer.conf holds a BatchNorm, and layer.input has a variable length.
std::unique_ptr<CompiledLayer> CompileStepBatchNorm(const LayerConfig& layer);

}  // namespace dl::nn
