// Compiles the layers GroupNorm and InstanceNorm of nn/conf/layers/group_norm.h.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Reads only the name of `layer` and the type of its input. `groups` is the number of groups of
// channels; for an InstanceNorm, the number of channels. `epsilon` is added to the variance of each
// group. REQUIRES: `groups` divides the number of channels.
std::unique_ptr<CompiledLayer> CompileGroupNorm(const LayerConfig& layer, int64_t groups,
                                                double epsilon);

}  // namespace dl::nn
