// Compiles the layers of nn/conf/layers/elementwise.h except for Add (nn/layers/compiled_add.h).
// Multiply and Average also combine the two directions of a bidirectional recurrent layer.
#pragma once

#include <memory>

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// REQUIRES: the layer gets at least two inputs.
std::unique_ptr<CompiledLayer> CompileMultiply();
std::unique_ptr<CompiledLayer> CompileAverage();
std::unique_ptr<CompiledLayer> CompileMaximum();

}  // namespace dl::nn
