// Compiles the layer of nn/conf/layers/embedding.h.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// The result keeps no reference to `layer`. REQUIRES: layer.conf holds an Embedding.
std::unique_ptr<CompiledLayer> CompileEmbedding(const LayerConfig& layer);

}  // namespace dl::nn
