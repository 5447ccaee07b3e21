// Activation functions (nn/conf/activation.h) as ONNX nodes.
#pragma once

#include <string>

#include "inference/onnx/graph.h"
#include "nn/conf/activation.h"

namespace dl::inference {

// Appends the function of `x` and returns its value. Softmax is over the last axis.
std::string WriteActivation(const nn::ActivationConf& activation, const std::string& x,
                            OnnxGraph& graph);

}  // namespace dl::inference
