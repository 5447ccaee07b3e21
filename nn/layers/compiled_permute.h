// Compiles the layer of nn/conf/layers/permute.h.
#pragma once

#include <memory>

#include "nn/conf/layers/permute.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// `input` is the type of the layer's input.
std::unique_ptr<CompiledLayer> CompilePermute(const Permute& conf, const InputType& input);

}  // namespace dl::nn
