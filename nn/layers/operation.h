// The operations that lowering makes of the layers of a model (nn/layers/lowering.h). Passes
// rewrite the list of operations. A plan then compiles each operation to a layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "nn/conf/activation.h"
#include "nn/layers/compiled_dense.h"
#include "nn/layers/compiled_layer.h"

namespace dl::nn {

struct DenseOperation {
  std::string layer;  // its name
  DenseShape shape;
};

// An activation function other than the identity.
struct ActivationOperation {
  ActivationConf activation;
};

// Takes the rows that count in the loss of an output (nn/layers/compiled_counted_rows.h).
struct CountedRowsOperation {
  size_t output = 0;     // index in the model
  int64_t capacity = 0;  // number of rows of the result
};

// An operation whose content no pass reads: a layer that is not planned yet.
using OtherOperation = std::unique_ptr<CompiledLayer>;

using Operation =
    std::variant<DenseOperation, ActivationOperation, CountedRowsOperation, OtherOperation>;

// Returns the layer of the operation, which is not planned yet.
std::unique_ptr<CompiledLayer> Compile(Operation operation);

}  // namespace dl::nn
