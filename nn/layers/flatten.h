// Engine implementation of nn/conf/layers/flatten.h and reshape.h. Images [n, c, h, w] or volumes
// [n, c, d, h, w] in any layout become plain rows [n, c · h · w] or [n, c · d · h · w], by a copy
// if the layout is blocked. The rows of each example of a sequence become one row. Measured on
// LeNet: the copy is cheaper than a four-dimensional inner product, which then has to reorder its
// weights.
#pragma once

#include <memory>

#include "nn/conf/input_type.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// `steps` is the number of rows of an example, which become one row.
std::unique_ptr<CompiledLayer> CompileFlatten(int64_t steps = 1);
// Maps examples of `steps` rows to `output`, in row-major order.
std::unique_ptr<CompiledLayer> CompileReshape(int64_t steps, const InputType& output);

}  // namespace dl::nn
