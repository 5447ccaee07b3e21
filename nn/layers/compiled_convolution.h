// Compiles the layers of nn/conf/layers/conv2d.h and conv3d.h: the convolution and its bias,
// without the activation.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Return the convolution that `conf` describes, not planned yet. Only the name of `layer` and the
// types of its input and output are read, and the types must fit `conf`. For a Conv1D, the caller
// passes Conv1D::As2D() and image types (AsImage in nn/conf/layers/window1d.h). The height of the
// input then includes the zeros in front of a causal convolution.
std::unique_ptr<CompiledLayer> CompileConv2D(const Conv2D& conf, const LayerConfig& layer);
std::unique_ptr<CompiledLayer> CompileConv3D(const Conv3D& conf, const LayerConfig& layer);

}  // namespace dl::nn
