// Writes recurrent layers as ONNX nodes. Each function returns the name of the layer's value.
#pragma once

#include <string>

#include "inference/onnx/layer_context.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::inference {

// A stateful layer begins each call with zeros, as `dl-submit predict` does.
std::string WriteSimpleRnn(const OnnxLayer& layer, const nn::SimpleRnn& conf);
std::string WriteGru(const OnnxLayer& layer, const nn::Gru& conf);
std::string WriteLstm(const OnnxLayer& layer, const nn::Lstm& conf);

}  // namespace dl::inference
