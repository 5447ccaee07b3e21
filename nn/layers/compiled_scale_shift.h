// Compiles the layer of nn/conf/layers/scale_shift.h.
#pragma once

#include <memory>

#include "nn/conf/layers/scale_shift.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

std::unique_ptr<CompiledLayer> CompileScaleShift(const ScaleShift& conf);

}  // namespace dl::nn
