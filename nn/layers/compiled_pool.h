// Compiles the layers of nn/conf/layers/pool2d.h and pool3d.h, global_pool2d.h and global_pool3d.h.
#pragma once

#include <memory>

#include "nn/conf/layer_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Only the types of the input and output of `layer` are read. For a MaxPool1D or AvgPool1D, the
// caller passes its As2D() as `conf`, and image types (AsImage in nn/conf/layers/window1d.h).
std::unique_ptr<CompiledLayer> CompileMaxPool2D(const MaxPool2D& conf, const LayerConfig& layer);
std::unique_ptr<CompiledLayer> CompileAvgPool2D(const AvgPool2D& conf, const LayerConfig& layer);
std::unique_ptr<CompiledLayer> CompileGlobalAvgPool2D(const LayerConfig& layer);
std::unique_ptr<CompiledLayer> CompileMaxPool3D(const MaxPool3D& conf, const LayerConfig& layer);
std::unique_ptr<CompiledLayer> CompileAvgPool3D(const AvgPool3D& conf, const LayerConfig& layer);
std::unique_ptr<CompiledLayer> CompileGlobalAvgPool3D(const LayerConfig& layer);

}  // namespace dl::nn
