// Engine implementation of nn/conf/layers/conv2d.h and conv3d.h.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// `layer` is the model's layer that contains the convolution.
std::unique_ptr<CompiledLayer> CompileConv2D(const Conv2D& conf, const LayerConfig& layer);
std::unique_ptr<CompiledLayer> CompileConv3D(const Conv3D& conf, const LayerConfig& layer);

}  // namespace dl::nn
