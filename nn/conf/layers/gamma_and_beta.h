// What normalizing layers scale and shift each channel or feature by.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/conf/layers/layer.h"

namespace dl::nn {

// gamma (1) and beta (0), each [channels].
std::vector<ParameterConf> GammaAndBeta(int64_t channels, bool frozen);

}  // namespace dl::nn
