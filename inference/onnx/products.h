// Writes layers that are products with weights, as ONNX nodes: dense layers and convolutions. Each
// function returns the name of the layer's value before its activation.
#pragma once

#include <string>
#include <string_view>

#include "inference/onnx/layer_context.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::inference {

struct OnnxProduct {
  std::string x;            // [..., features]
  std::string_view prefix;  // of the names of "weight" and "bias"
  bool bias = true;
};
// Writes x W^T + b over the last axis, for W [units, features].
std::string WriteProduct(const OnnxLayer& layer, const OnnxProduct& product);

std::string WriteConv1D(const OnnxLayer& layer, const nn::Conv1D& conf);
std::string WriteConv2D(const OnnxLayer& layer, const nn::Conv2D& conf);
std::string WriteConv3D(const OnnxLayer& layer, const nn::Conv3D& conf);
std::string WriteTransposedConv2D(const OnnxLayer& layer, const nn::TransposedConv2D& conf);

}  // namespace dl::inference
