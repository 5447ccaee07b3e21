// Writes the layers of a model as ONNX nodes.
#pragma once

#include <string>
#include <vector>

#include "inference/onnx/graph.h"
#include "nn/conf/model_config.h"

namespace dl::inference {

// Names of values.
struct OnnxModelInputs {
  std::vector<std::string> values;  // one for each input of the model, with shapes as in OnnxLayer
  std::string lengths;              // int32 [examples]; "" if all examples have all steps
};

// Appends all layers in inference mode. Returns the names of the predictions of each output of the
// model, in its order. Predictions are [examples, units], or [examples, steps, units] with
// unspecified rows of padding. REQUIRES: the weights were added under their names, for example
// "conv1.weight".
std::vector<std::string> WriteLayers(const nn::ModelConfig& model, const OnnxModelInputs& inputs,
                                     OnnxGraph& graph);

}  // namespace dl::inference
