// The engine's side of nn/conf/layers/dense.h and of the product in output.h.
#pragma once

#include <memory>
#include <string>

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

struct DenseShape {
  int64_t units = 0;
  bool bias = true;
};
std::unique_ptr<CompiledLayer> CompileDense(std::string name, const DenseShape& shape);

}  // namespace dl::nn
