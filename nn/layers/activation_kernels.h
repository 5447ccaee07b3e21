// Which kernels an activation has.
#pragma once

#include <cstdint>

#include "nn/conf/activation.h"

namespace dl::nn {

struct ActivationRows {
  int64_t floats = 0;  // of all rows, padding included
  int64_t rows = 1;    // for softmax
};

// y = f(y), in place.
void Activate(const ActivationConf& activation, float* y, const ActivationRows& shape);
// dy = dy * f', in place. `kept` is x where the derivative needs it (TraitsOf), else f(x).
void Derive(const ActivationConf& activation, const float* kept, float* dy,
            const ActivationRows& shape);

}  // namespace dl::nn
