// Compiles the layer of nn/conf/layers/dropout.h.
#pragma once

#include <memory>

#include "nn/conf/layers/dropout.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// `input` is the type of the layer's input. `layer_index`, the layer's index in the model, is a
// coordinate of its random numbers. REQUIRES: a probability above 0.
std::unique_ptr<CompiledLayer> CompileDropout(const Dropout& conf, const InputType& input,
                                              int64_t layer_index);

}  // namespace dl::nn
