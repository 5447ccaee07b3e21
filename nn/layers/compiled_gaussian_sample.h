// Compiles the layer of nn/conf/layers/gaussian_sample.h.
#pragma once

#include <memory>

#include "nn/conf/layers/gaussian_sample.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// `layer_index`, the layer's index in the model, is a coordinate of its random numbers.
std::unique_ptr<CompiledLayer> CompileGaussianSample(const GaussianSample& conf,
                                                     int64_t layer_index);

}  // namespace dl::nn
