// Compiles the layer of nn/conf/layers/concat.h with plain copies.
#pragma once

#include <memory>

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

std::unique_ptr<CompiledLayer> CompileConcat();

}  // namespace dl::nn
