// Compiles the layer of nn/conf/layers/upsample2d.h.
#pragma once

#include <memory>

#include "nn/conf/input_type.h"
#include "nn/conf/layers/upsample2d.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Reads images of type `input`.
std::unique_ptr<CompiledLayer> CompileUpsample2D(const Upsample2D& conf, const InputType& input);

}  // namespace dl::nn
