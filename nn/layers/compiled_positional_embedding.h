// Compiles the layer of nn/conf/layers/positional_embedding.h.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Reads only the name of the layer and the type of its input.
std::unique_ptr<CompiledLayer> CompilePositionalEmbedding(const LayerConfig& layer);

}  // namespace dl::nn
