// The engine's side of nn/conf/layers/last_step.h.
#pragma once

#include <memory>

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Of sequences of `steps`.
std::unique_ptr<CompiledLayer> CompileLastStep(int64_t steps);

}  // namespace dl::nn
