// From a model to the layers that the engine runs: activations on their own, and max-pooling moved
// in front of non-decreasing activations, where it leaves fewer values to compute.
#pragma once

#include <memory>
#include <vector>

#include "nn/conf/model_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// All layers up to the loss, in order; the output layer is its product and its activation.
std::vector<std::unique_ptr<CompiledLayer>> LowerModel(const ModelConfig& model);

}  // namespace dl::nn
