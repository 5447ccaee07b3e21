// Compiles the layer of nn/conf/layers/positional_embedding.h.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// `layer` gives the name and the type of the input. Its other members are not read.
std::unique_ptr<CompiledLayer> CompilePositionalEmbedding(const LayerConfig& layer);

}  // namespace dl::nn
