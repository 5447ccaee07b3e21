#include "nn/layers/compiled_dense.h"

#include "nn/layers/product_layer.h"

namespace dl::nn {
namespace {

class DenseLayer : public ProductLayer {
 public:
  DenseLayer(std::string name, const DenseShape& shape)
      : ProductLayer(std::move(name), shape.prefix), shape_(shape) {}

 protected:
  std::unique_ptr<ProductKernels> MakeKernels(const Layout& input, const ProductTypes& types,
                                              KernelSet kernels) override {
    return MakeInnerProductKernels({.source = input.dims(),
                                    .outputs = shape_.units,
                                    .has_bias = shape_.bias,
                                    .types = types,
                                    .kernels = kernels});
  }

 private:
  DenseShape shape_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileDense(std::string name, const DenseShape& shape) {
  return std::make_unique<DenseLayer>(std::move(name), shape);
}

}  // namespace dl::nn
