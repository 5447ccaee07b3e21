// Compiles the layer of nn/conf/layers/gru.h, without the product with the inputs.
#pragma once

#include <memory>

#include "nn/layers/compiled_recurrence.h"

namespace dl::nn {

// The reset gate is applied after the product with the state (CompileGru) or before it
// (CompileResetGru). `name` is the name of the layer.
std::unique_ptr<CompiledLayer> CompileGru(std::string name, const RecurrenceShape& shape);
std::unique_ptr<CompiledLayer> CompileResetGru(std::string name, const RecurrenceShape& shape);

}  // namespace dl::nn
