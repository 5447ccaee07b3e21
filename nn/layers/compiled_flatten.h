// Compiles the layers of nn/conf/layers/flatten.h and reshape.h. An image [n, c, h, w] or volume
// [n, c, d, h, w] in any layout becomes plain rows [n, values]. A blocked layout needs a copy. The
// rows of each example of a sequence become one row. Measured on LeNet: the copy is cheaper than a
// four-dimensional inner product, which then has to reorder its weights.
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
