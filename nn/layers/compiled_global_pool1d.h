// Compiles the layers of nn/conf/layers/global_pool1d.h.
#pragma once

#include <memory>

#include "nn/conf/input_type.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// `input` is the type of the layer's input, a sequence.
std::unique_ptr<CompiledLayer> CompileGlobalAvgPool1D(const InputType& input);
std::unique_ptr<CompiledLayer> CompileGlobalMaxPool1D(const InputType& input);

}  // namespace dl::nn
