#include "nn/layers/operation.h"

#include <utility>

#include "base/overloaded.h"
#include "nn/layers/compiled_activation.h"
#include "nn/layers/compiled_counted_rows.h"

namespace dl::nn {

// No default branch: an operation that is not compiled is a compile error.
std::unique_ptr<CompiledLayer> Compile(Operation operation) {
  return std::visit(
      Overloaded{
          [](DenseOperation& conf) { return CompileDense(std::move(conf.layer), conf.shape); },
          [](ActivationOperation& conf) { return CompileActivation(conf.activation); },
          [](CountedRowsOperation& conf) { return CompileCountedRows(conf.output, conf.capacity); },
          [](OtherOperation& layer) { return std::move(layer); },
      },
      operation);
}

}  // namespace dl::nn
