// Translates a model into a list of operations (nn/layers/operation.h), which passes may rewrite
// (nn/pass_switches.h) before they are compiled. Activations become operations of their own. A
// max_pool2d or max_pool3d is moved before a non-decreasing activation if it is the next layer and
// the activation's only reader. The activation then has fewer values to compute.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "nn/conf/model_config.h"
#include "nn/layers/operation.h"

namespace dl::nn {

using ValueId = int;  // index of a value that an input or a layer produces

struct LoweredNode {
  Operation operation;
  std::string name;  // of the model's layer that the node computes, or computes a part of
  std::vector<ValueId> inputs, outputs;
  // The rule for the lengths of the sequences that the model's layer reads. Owned by the model.
  const StepLengths* lengths = nullptr;
  // Whether row r of the output depends only on row r of each input, for inputs [rows, features].
  bool computes_rows_alone = false;
  // Index of an output of the model: the node computes only the rows that count in the loss of this
  // output (nn/layers/counted_rows_only.h). nullopt: the node computes all rows.
  std::optional<size_t> counted_in = std::nullopt;
};

struct LoweredModel {
  int values = 0;
  std::vector<LoweredNode> nodes;  // each after the nodes that it reads
  // The model's inputs and outputs, in its order. Outputs are plain rows [n, units], before their
  // losses.
  std::vector<ValueId> inputs, outputs;
  // The output of each layer of the model, for an output layer before the flattening. nullopt: no
  // node gives it, because the activation is computed after the max-pooling that follows.
  std::vector<std::optional<ValueId>> layer_outputs;
};

// Returns the operations of all layers up to the losses. An output layer becomes its product, its
// activation, and an operation that gives plain rows. REQUIRES: `model` outlives the result.
LoweredModel LowerModel(const ModelConfig& model);

}  // namespace dl::nn
