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
  // Bytes that the update reads and writes: it reads each trained weight, its gradient and its
  // updater state, and writes the weight and the state. A model that clips gradients by norm reads
  // them once more.
  double update_bytes = 0;
  // Bytes of the memory that the update uses: weights, gradients and updater state, each once. If
  // it is small, it stays in a cache.
  double update_storage = 0;
  // Bytes of the float32 outputs of layers that must store them, counted once: products,
  // embeddings, pooling and norms, and the inner values of recurrent and attention layers. The
  // outputs of activations, sums and dropout do not count, because the next layer can compute them.
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

// Returns the counts for all examples of the minibatch together.
StepCost CostOfStep(const ModelConfig& model, const StepSize& size);

}  // namespace dl::nn
