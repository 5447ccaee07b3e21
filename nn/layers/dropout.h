// The engine's side of nn/conf/layers/dropout.h.
#pragma once

#include <memory>

#include "nn/conf/layers/dropout.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// `layer_index` is the layer's place in the model, a coordinate of its random numbers.
std::unique_ptr<CompiledLayer> CompileDropout(const Dropout& conf, int64_t layer_index);

}  // namespace dl::nn
