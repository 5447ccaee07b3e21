// Attention layers as ONNX nodes. Each function returns the value of the layer.
#pragma once

#include <string>

#include "inference/onnx/layer_context.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::inference {

std::string WriteSelfAttention(const OnnxLayer& layer, const nn::SelfAttention& conf);
std::string WriteCrossAttention(const OnnxLayer& layer, const nn::CrossAttention& conf);

}  // namespace dl::inference
