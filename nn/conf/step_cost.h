// Counts the operations and bytes that a training step of a model needs in every engine. With the
// speeds of a machine, they give a lower bound of the time of a step (speed/bound.h).
#pragma once

#include <cstdint>
#include <vector>

#include "nn/conf/model_config.h"

namespace dl::nn {

// Counts are doubles, which no model overflows.
struct StepCost {
  // Operations of matrix products and convolutions: LayerFlops::unpadded, forward and backward. The
  // backward pass computes the gradients of trained weights, and the gradient of an input only if a
  // layer before it is trained.
  double flops = 0;
  std::vector<double> layer_flops;  // the part of each layer of the model, in their order
  // Reads and writes of the update: each trained weight, its gradient and its updater state, and
  // one more reading of the gradients for clipping by norm.
  double update_bytes = 0;
  // Size of what the update reads and writes: if it is small, it stays in a cache.
  double update_storage = 0;
  // Float32 outputs of the layers that have to store them, once: products, pooling and norms, and
  // the inner values of recurrent and attention layers. Activations, sums and dropout can be
  // computed on the way.
  double activation_bytes = 0;
};

// The minibatch of a step.
struct StepSize {
  int64_t examples = 1;
  // Share of the rows of the output that have a label, above 0 and at most 1. The last layers, as
  // far as each computes each row by itself, need only these rows. Ignored for a model with several
  // outputs.
  double labelled = 1;
};

StepCost CostOfStep(const ModelConfig& model, const StepSize& size);

}  // namespace dl::nn
