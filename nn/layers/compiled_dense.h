// Compiles the layer of nn/conf/layers/dense.h, and the products of output layers, recurrent layers
// and attention layers.
#pragma once

#include <memory>
#include <string>

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Size and parameter names of a dense product.
struct DenseShape {
  int64_t units = 0;
  bool bias = true;
  std::string prefix = {};  // of the names of weight and bias
};
// `name` is the name of the layer.
std::unique_ptr<CompiledLayer> CompileDense(std::string name, const DenseShape& shape);

}  // namespace dl::nn
