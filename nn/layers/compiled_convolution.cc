#include "nn/layers/compiled_convolution.h"

#include "nn/layers/layer_windows.h"
#include "nn/layers/product_layer.h"

namespace dl::nn {
namespace {

class ConvolutionLayer : public ProductLayer {
 public:
  template <typename Conf>
  ConvolutionLayer(const Conf& conf, const LayerConfig& layer)
      : ProductLayer(layer.name),
        geometry_{.in_channels = layer.input.channels,
                  .out_channels = layer.output.channels,
                  .groups = conf.groups,
                  .has_bias = conf.bias,
                  .window = GeometryOf(conf.window, layer.input, layer.output,
                                       /*padded=*/layer.input)} {}

 protected:
  std::unique_ptr<ProductKernels> MakeKernels(const Layout& input, const ProductTypes& types,
                                              KernelSet kernels) override {
    geometry_.batch = input.dims()[0];
    geometry_.types = BestTypes(geometry_, types);
    geometry_.kernels = kernels;
    return MakeConvolutionKernels(geometry_);
  }

 private:
  ConvolutionGeometry geometry_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileConv2D(const Conv2D& conf, const LayerConfig& layer) {
  return std::make_unique<ConvolutionLayer>(conf, layer);
}
std::unique_ptr<CompiledLayer> CompileConv3D(const Conv3D& conf, const LayerConfig& layer) {
  return std::make_unique<ConvolutionLayer>(conf, layer);
}

}  // namespace dl::nn
