// Applies activation functions and their derivatives to arrays.
#pragma once

#include <cstdint>

#include "nn/conf/activation.h"

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

}  // namespace dl::nn
