// Writes attention layers as ONNX nodes. Each function returns the name of the layer's value.
#pragma once

#include <string>

#include "inference/onnx/layer_context.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::inference {

std::string WriteSelfAttention(const OnnxLayer& layer, const nn::SelfAttention& conf);
std::string WriteCrossAttention(const OnnxLayer& layer, const nn::CrossAttention& conf);

}  // namespace dl::inference
