// The engine's side of nn/conf/layers/gru.h, behind its product with the inputs.
#pragma once

#include <memory>

#include "nn/layers/recurrence.h"

namespace dl::nn {

// The reset gate behind the product with the state, and before it.
std::unique_ptr<CompiledLayer> CompileGru(std::string name, const RecurrenceShape& shape);
std::unique_ptr<CompiledLayer> CompileResetGru(std::string name, const RecurrenceShape& shape);

}  // namespace dl::nn
