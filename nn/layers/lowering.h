// From a model to what the engine runs: a graph of layers, activations on their own, and
// max-pooling moved in front of non-decreasing activations, where it leaves fewer values to
// compute.
#pragma once

#include <memory>
#include <vector>

#include "nn/conf/model_config.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

using ValueId = int;  // what an input or a layer gives, from 0

struct LoweredNode {
  std::unique_ptr<CompiledLayer> layer;
  std::vector<ValueId> inputs, outputs;
};

struct LoweredModel {
  int values = 0;
  std::vector<LoweredNode> nodes;  // each behind those that it reads
  // The model's own, in its order; outputs are plain rows [n, units], before their losses.
  std::vector<ValueId> inputs, outputs;
};

// All layers up to the losses; an output layer is its product and its activation.
LoweredModel LowerModel(const ModelConfig& model);

}  // namespace dl::nn
