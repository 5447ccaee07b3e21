// The engine's side of nn/conf/layers/flatten.h and reshape.h: [n, c, h, w] or [n, c, d, h, w] in
// any layout to plain [n, c * h * w] or [n, c * d * h * w], a copy when the layout is blocked; of
// sequences the rows of each example to one. Measured on LeNet: cheaper than the four-dimensional
// inner product, which then reorders its weights.
#pragma once

#include <memory>

#include "nn/conf/input_type.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// `steps`: rows that become one.
std::unique_ptr<CompiledLayer> CompileFlatten(int64_t steps = 1);
// Of examples of `steps` rows to `output`, in row-major order.
std::unique_ptr<CompiledLayer> CompileReshape(int64_t steps, const InputType& output);

}  // namespace dl::nn
