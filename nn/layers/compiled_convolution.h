// Compiles the layers of nn/conf/layers/conv2d.h and conv3d.h, without the activation.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Return the layer, not planned yet. `conf` describes the convolution. From `layer`, only its name
// and the types of its input and output are read. `layer.conf` may therefore be a Conv1D, for which
// the caller passes Conv1D::As2D() as `conf`.
std::unique_ptr<CompiledLayer> CompileConv2D(const Conv2D& conf, const LayerConfig& layer);
std::unique_ptr<CompiledLayer> CompileConv3D(const Conv3D& conf, const LayerConfig& layer);

}  // namespace dl::nn
