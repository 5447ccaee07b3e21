// Compiles the layer of nn/conf/layers/transposed_conv2d.h: the transposed convolution and its
// bias, without the activation.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Returns the layer, not planned yet. Only the name of `layer` and the types of its input and
// output are read.
std::unique_ptr<CompiledLayer> CompileTransposedConv2D(const TransposedConv2D& conf,
                                                       const LayerConfig& layer);

}  // namespace dl::nn
