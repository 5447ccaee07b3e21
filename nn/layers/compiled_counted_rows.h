// Takes the rows of a sequence that count in the loss of an output. The result has a fixed number
// of rows, the capacity. The rows that count come first, in their order; the remaining rows are
// zero. Backward copies the gradients of the rows that count to their places. The gradient of all
// other rows is zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// `output` is the index of the output in the model. REQUIRES: at most `capacity` rows of each
// micro-batch count (PlanMemory::CountedRows).
std::unique_ptr<CompiledLayer> CompileCountedRows(size_t output, int64_t capacity);

}  // namespace dl::nn
