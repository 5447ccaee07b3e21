// Writes pooling layers as ONNX nodes. Each function returns the name of the layer's value.
#pragma once

#include <string>

#include "inference/onnx/layer_context.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::inference {

std::string WriteMaxPool(const OnnxLayer& layer, const nn::Window& window);
std::string WriteMaxPool(const OnnxLayer& layer, const nn::Window3D& window);
std::string WriteMaxPool(const OnnxLayer& layer, const nn::Window1D& window);

// `count_padding`: whether a mean includes padding as zeros.
std::string WriteAvgPool(const OnnxLayer& layer, const nn::Window& window, bool count_padding);
std::string WriteAvgPool(const OnnxLayer& layer, const nn::Window3D& window, bool count_padding);
std::string WriteAvgPool(const OnnxLayer& layer, const nn::Window1D& window, bool count_padding);

std::string WriteGlobalAvgPool(const OnnxLayer& layer);  // of an image or a volume
std::string WriteGlobalAvgPool1D(const OnnxLayer& layer);
std::string WriteGlobalMaxPool1D(const OnnxLayer& layer);

std::string WriteAdaptiveAvgPool(const OnnxLayer& layer);
std::string WriteAdaptiveMaxPool(const OnnxLayer& layer);

}  // namespace dl::inference
