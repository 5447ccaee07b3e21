// The engine's side of nn/conf/layers/conv2d.h.
#pragma once

#include <memory>
#include <string>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// REQUIRES: layer.conf holds a Conv2D.
std::unique_ptr<CompiledLayer> CompileConv2D(const LayerConfig& layer);

}  // namespace dl::nn
