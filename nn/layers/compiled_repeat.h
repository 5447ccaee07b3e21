// Compiles the layer of nn/conf/layers/repeat.h.
#pragma once

#include <memory>

#include "nn/conf/layers/repeat.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

std::unique_ptr<CompiledLayer> CompileRepeat(const Repeat& conf);

}  // namespace dl::nn
