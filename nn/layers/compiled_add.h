// Compiles the layer Add of nn/conf/layers/elementwise.h. Also adds the outputs of the two
// directions of a recurrent layer.
#pragma once

#include <memory>

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

std::unique_ptr<CompiledLayer> CompileAdd();

}  // namespace dl::nn
