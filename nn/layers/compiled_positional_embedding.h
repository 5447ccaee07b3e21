// Compiles the layer of nn/conf/layers/positional_embedding.h.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Uses only `layer.name` and `layer.input`. The trained table has layer.input.Steps() rows of
// layer.input.channels values.
std::unique_ptr<CompiledLayer> CompilePositionalEmbedding(const LayerConfig& layer);

}  // namespace dl::nn
