// Compiled form of nn/conf/layers/conv2d.h and conv3d.h, without the activation.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Return the layer, not planned yet. `layer` gives its name and the types of its input and output;
// `layer.conf` is not read, so another layer may use a convolution (conv1d.h).
std::unique_ptr<CompiledLayer> CompileConv2D(const Conv2D& conf, const LayerConfig& layer);
std::unique_ptr<CompiledLayer> CompileConv3D(const Conv3D& conf, const LayerConfig& layer);

}  // namespace dl::nn
