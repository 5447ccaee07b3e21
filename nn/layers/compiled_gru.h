// Compiles one direction of the layer of nn/conf/layers/gru.h, without the product with the inputs.
// The compiled layer reads rows W x[t] + b, which a dense layer before it computes.
#pragma once

#include <memory>

#include "nn/layers/compiled_recurrence.h"

namespace dl::nn {

// CompileGru applies the reset gate after the product with the state, CompileResetGru before it.
// `name` is the name of the layer.
std::unique_ptr<CompiledLayer> CompileGru(std::string name, const RecurrenceShape& shape);
std::unique_ptr<CompiledLayer> CompileResetGru(std::string name, const RecurrenceShape& shape);

}  // namespace dl::nn
