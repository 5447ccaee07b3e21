// The engine's side of nn/conf/layers/pool2d.h.
#pragma once

#include <memory>

#include "nn/conf/model_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// REQUIRES: layer.conf holds a MaxPool2D or an AvgPool2D.
std::unique_ptr<CompiledLayer> CompilePool2D(const LayerConfig& layer);

}  // namespace dl::nn
