// Compiles the layer of nn/conf/layers/local_response_norm.h.
#pragma once

#include <memory>

#include "nn/conf/layers/local_response_norm.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

std::unique_ptr<CompiledLayer> CompileLocalResponseNorm(const LocalResponseNorm& conf);

}  // namespace dl::nn
