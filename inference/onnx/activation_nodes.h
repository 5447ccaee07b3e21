// Writes activation functions (nn/conf/activation.h) as ONNX nodes.
#pragma once

#include <string>

#include "inference/onnx/graph.h"
#include "nn/conf/activation.h"

namespace dl::inference {

// Appends the nodes that apply the activation to the value named `x`, and returns the name of the
// result. Returns `x` for the identity. Softmax is over the last axis.
std::string WriteActivation(const nn::ActivationConf& activation, const std::string& x,
                            OnnxGraph& graph);

}  // namespace dl::inference
