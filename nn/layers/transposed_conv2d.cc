#include "nn/layers/transposed_conv2d.h"

#include "nn/backend/deconvolution.h"
#include "nn/layers/product_layer.h"

namespace dl::nn {
namespace {

class DeconvolutionKernels : public ProductKernels {
 public:
  explicit DeconvolutionKernels(const ConvolutionGeometry& g) : g_(g) {}
  Layout CanonicalWeights() const override { return ConvolutionWeightsLayout(g_); }
  bool HasBias() const override { return g_.has_bias; }
  StatusOr<Primitive> Forward(const Layout& source) const override {
    return DeconvolutionForward(g_, source);
  }
  StatusOr<Primitive> BackwardData(const Layout& diff) const override {
    return DeconvolutionBackwardData(g_, diff);
  }
  StatusOr<Primitive> BackwardWeights(const Layout& source, const Layout& diff) const override {
    return DeconvolutionBackwardWeights(g_, source, diff);
  }

 private:
  ConvolutionGeometry g_;
};

class TransposedConv2DLayer : public ProductLayer {
 public:
  explicit TransposedConv2DLayer(const LayerConfig& layer) : ProductLayer(layer.name) {
    const auto& conf = std::get<TransposedConv2D>(layer.conf);
    // Those of the convolution whose input is this one's output.
    const Window::Borders borders = conf.window.BordersOf(layer.output);
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
    return std::make_unique<DeconvolutionKernels>(geometry_);
  }

 private:
  ConvolutionGeometry geometry_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileTransposedConv2D(const LayerConfig& layer) {
  return std::make_unique<TransposedConv2DLayer>(layer);
}

}  // namespace dl::nn
