// Writes layers that select, move or repeat values, as ONNX nodes. Each function returns the name
// of the layer's value.
#pragma once

#include <string>

#include "inference/onnx/layer_context.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::inference {

std::string WriteReshape(const OnnxLayer& layer);  // to the shape of the layer's output
std::string WritePermute(const OnnxLayer& layer, const nn::Permute& conf);
std::string WriteRepeat(const OnnxLayer& layer, const nn::Repeat& conf);
// Selects the features or channels [begin, end).
std::string WriteChannels(const OnnxLayer& layer, int64_t begin, int64_t end);
std::string WriteZeroPad(const OnnxLayer& layer, const nn::Edges& edges);
std::string WriteCrop(const OnnxLayer& layer, const nn::Edges& edges);
std::string WriteUpsample(const OnnxLayer& layer, const nn::Extent2D& scale);
std::string WriteLastStep(const OnnxLayer& layer);
std::string WriteConcat(const OnnxLayer& layer);
std::string WriteStack(const OnnxLayer& layer);
std::string WriteEmbedding(const OnnxLayer& layer);

}  // namespace dl::inference
