// The engine's side of nn/conf/layers/gaussian_noise.h.
#pragma once

#include <memory>

#include "nn/conf/layers/gaussian_noise.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// `layer_index` is a coordinate of its random numbers, as of dropout's.
std::unique_ptr<CompiledLayer> CompileGaussianNoise(const GaussianNoise& conf, int64_t layer_index);

}  // namespace dl::nn
