// Compiles the layer of nn/conf/layers/last_step.h.
#pragma once

#include <memory>

#include "nn/conf/input_type.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// `input` is the type of the layer's input, a sequence.
std::unique_ptr<CompiledLayer> CompileLastStep(const InputType& input);

}  // namespace dl::nn
