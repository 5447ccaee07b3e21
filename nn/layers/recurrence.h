// What long short-term memory (nn/conf/layers/lstm.h) computes behind the product with its inputs:
// rows of gates [rows, 4 units] to rows of states [rows, units].
#pragma once

#include <memory>
#include <string>

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

struct RecurrenceShape {
  int64_t steps = 0, units = 0;
  double forget_bias = 0;
};
std::unique_ptr<CompiledLayer> CompileRecurrence(std::string name, const RecurrenceShape& shape);

}  // namespace dl::nn
