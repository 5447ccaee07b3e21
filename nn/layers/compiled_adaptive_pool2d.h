// Compiles the layers of nn/conf/layers/adaptive_pool2d.h.
#pragma once

#include <memory>

#include "nn/conf/input_type.h"
#include "nn/conf/layers/adaptive_pool2d.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Pool images of shape `input` to images of `size`.
std::unique_ptr<CompiledLayer> CompileAdaptiveAvgPool2D(const Extent2D& size,
                                                        const InputType& input);
std::unique_ptr<CompiledLayer> CompileAdaptiveMaxPool2D(const Extent2D& size,
                                                        const InputType& input);

}  // namespace dl::nn
