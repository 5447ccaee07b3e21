// The scale (gamma) and shift (beta) of each channel or feature in normalization layers.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

// Returns gamma, which begins at 1, and beta, which begins at 0. Both are [channels].
std::vector<ParameterConf> GammaAndBeta(int64_t channels, bool frozen);

}  // namespace dl::nn
