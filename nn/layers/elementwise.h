// The engine's side of nn/conf/layers/elementwise.h but for the sum (nn/layers/add.h), and of how
// both directions of a recurrent layer come together.
#pragma once

#include <memory>

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Each REQUIRES two inputs or more.
std::unique_ptr<CompiledLayer> CompileMultiply();
std::unique_ptr<CompiledLayer> CompileAverage();
std::unique_ptr<CompiledLayer> CompileMaximum();

}  // namespace dl::nn
