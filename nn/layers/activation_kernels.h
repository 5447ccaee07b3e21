// Applies activation functions and their derivatives to arrays.
#pragma once

#include <cstdint>
#include <memory>

#include "nn/conf/activation.h"
#include "nn/kernels/bf16_table.h"

namespace dl::nn {

struct ActivationRows {
  int64_t floats = 0;  // of all rows, including padding
  int64_t rows = 1;    // for softmax
};

// y = f(y), in place.
void Activate(const ActivationConf& activation, float* y, const ActivationRows& shape);
// dy = dy * f'(x), in place. `kept` is x if the derivative needs it (TraitsOf), otherwise f(x).
void Derive(const ActivationConf& activation, const float* kept, float* dy,
            const ActivationRows& shape);

// Returns the activation and its derivative for tensors of bf16. Null for activations that are
// faster in float32. `slopes` belong to what Derive calls `kept`. All layers share a table.
// Thread-safe.
std::shared_ptr<const Bf16Table> TableOf(const ActivationConf& activation);

}  // namespace dl::nn
