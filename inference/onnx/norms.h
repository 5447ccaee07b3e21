// Writes normalization layers as ONNX nodes. Each function returns the name of the layer's value,
// except PerChannel.
#pragma once

#include <string>

#include "inference/onnx/layer_context.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::inference {

std::string WriteBatchNorm(const OnnxLayer& layer, const nn::BatchNorm& conf);
// Also for InstanceNorm, which has a group for each channel.
std::string WriteGroupNorm(const OnnxLayer& layer, int64_t groups, double epsilon);
std::string WriteLayerNorm(const OnnxLayer& layer, const nn::LayerNorm& conf);
std::string WriteRmsNorm(const OnnxLayer& layer, const nn::RmsNorm& conf);
std::string WriteL2Normalize(const OnnxLayer& layer, const nn::L2Normalize& conf);
std::string WriteLocalResponseNorm(const OnnxLayer& layer, const nn::LocalResponseNorm& conf);

// Returns the name of a parameter [channels], shaped to be combined with the layer's input.
std::string PerChannel(const OnnxLayer& layer, std::string_view parameter);

}  // namespace dl::inference
