// Engine implementation of nn/conf/layers/transposed_conv2d.h.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// `layer` is the model's layer that contains the convolution.
std::unique_ptr<CompiledLayer> CompileTransposedConv2D(const TransposedConv2D& conf,
                                                       const LayerConfig& layer);

}  // namespace dl::nn
