// The engine's side of nn/conf/layers/add.h.
#pragma once

#include <memory>

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

std::unique_ptr<CompiledLayer> CompileAdd();

}  // namespace dl::nn
