// Applies activation functions and their derivatives to arrays.
#pragma once

#include <cstdint>
#include <memory>

#include "nn/conf/activation.h"
#include "nn/kernels/bf16_table.h"

namespace dl::nn {

struct ActivationRows {
  int64_t floats = 0;  // of all rows together, including padding of the layout
  int64_t rows = 1;    // only for softmax, which has rows of floats / rows values
};

// y = f(y), in place.
void Activate(const ActivationConf& activation, float* y, const ActivationRows& shape);
// dy = dy * f'(x), in place. `kept` is x if the derivative needs it (TraitsOf), otherwise f(x).
void Derive(const ActivationConf& activation, const float* kept, float* dy,
            const ActivationRows& shape);

// Returns the table of the activation and its derivative for tensors of bf16. Null for activations
// that are faster without a table. The derivative is looked up by the value that Derive calls
// `kept`. Layers with the same activation share a table, which exists until the process ends.
// Thread-safe.
std::shared_ptr<const Bf16Table> TableOf(const ActivationConf& activation);

}  // namespace dl::nn
