#include "nn/layers/compiled_transposed_conv2d.h"

#include "nn/backend/deconvolution.h"
#include "nn/layers/layer_windows.h"
#include "nn/layers/product_layer.h"

namespace dl::nn {
namespace {

class DeconvolutionKernels : public ProductKernels {
 public:
  explicit DeconvolutionKernels(const ConvolutionGeometry& g) : g_(g) {}
  Layout CanonicalWeights() const override { return ConvolutionWeightsLayout(g_); }
  bool HasBias() const override { return g_.has_bias; }
  const ProductTypes& Types() const override { return g_.types; }
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
  TransposedConv2DLayer(const TransposedConv2D& conf, const LayerConfig& layer)
      : ProductLayer(layer.name),
        geometry_{.in_channels = layer.input.channels,
                  .out_channels = layer.output.channels,
                  .groups = conf.groups,
                  .has_bias = conf.bias,
                  .window = GeometryOf(conf.window, layer.input, layer.output,
                                       /*padded=*/layer.output)} {}

 protected:
  std::unique_ptr<ProductKernels> MakeKernels(const Layout& input, const ProductTypes& /*types*/,
                                              KernelSet kernels) override {
    geometry_.batch = input.dims()[0];
    geometry_.kernels = kernels;
    return std::make_unique<DeconvolutionKernels>(geometry_);
  }

 private:
  ConvolutionGeometry geometry_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileTransposedConv2D(const TransposedConv2D& conf,
                                                       const LayerConfig& layer) {
  return std::make_unique<TransposedConv2DLayer>(conf, layer);
}

}  // namespace dl::nn
