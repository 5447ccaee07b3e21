// Compiles the layer of nn/conf/layers/group_norm.h.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// REQUIRES: the layer is a GroupNorm, or an InstanceNorm with as many groups as channels.
std::unique_ptr<CompiledLayer> CompileGroupNorm(const LayerConfig& layer, int64_t groups,
                                                double epsilon);

}  // namespace dl::nn
