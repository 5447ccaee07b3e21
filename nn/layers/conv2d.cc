#include "nn/layers/conv2d.h"

#include "nn/layers/product_layer.h"

namespace dl::nn {
namespace {

class Conv2DLayer : public ProductLayer {
 public:
  explicit Conv2DLayer(const LayerConfig& layer) : ProductLayer(layer.name) {
    const auto& conf = std::get<Conv2D>(layer.conf);
    const Window::Borders borders = conf.window.BordersOf(layer.input);
    geometry_ = {.in_channels = layer.input.channels,
                 .in_height = layer.input.height,
                 .in_width = layer.input.width,
                 .out_channels = layer.output.channels,
                 .out_height = layer.output.height,
                 .out_width = layer.output.width,
                 .kernel_height = conf.window.kernel.height,
                 .kernel_width = conf.window.kernel.width,
                 .stride_height = conf.window.stride.height,
                 .stride_width = conf.window.stride.width,
                 .dilation_height = conf.window.dilation.height,
                 .dilation_width = conf.window.dilation.width,
                 .pad_top = borders.before.height,
                 .pad_left = borders.before.width,
                 .pad_bottom = borders.behind.height,
                 .pad_right = borders.behind.width,
                 .groups = conf.groups,
                 .has_bias = conf.bias};
  }

 protected:
  std::unique_ptr<ProductKernels> MakeKernels(const Layout& input) override {
    geometry_.batch = input.dims()[0];
    return MakeConvolutionKernels(geometry_);
  }

 private:
  ConvolutionGeometry geometry_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileConv2D(const LayerConfig& layer) {
  return std::make_unique<Conv2DLayer>(layer);
}

}  // namespace dl::nn
