#include "nn/backend/convolution_primitive.h"

#include "nn/backend/onednn/convolution_dims.h"
#include "nn/backend/onednn/onednn.h"
#include "nn/backend/onednn/onednn_products.h"

namespace dl::nn {
namespace {

using dnnl::algorithm;

dnnl::convolution_forward::primitive_desc ForwardDesc(const ConvolutionGeometry& g,
                                                      const Layout& source) {
  const ConvolutionDims d = DimsOf(g);
  return {
      {dnnl::prop_kind::forward_training, algorithm::convolution_direct,
       WishedDesc(source, d.source, g.types.factors), AnyDesc(d.weights, g.types.factors), d.bias,
       AnyDesc(d.destination, g.types.destination), d.strides, d.dilates, d.pad_begin, d.pad_end},
      UserScratchpad(),
      CpuEngine()};
}

}  // namespace

ConvolutionDims DimsOf(const ConvolutionGeometry& g) {
  ConvolutionDims d;
  d.source = DimsWith({g.batch, g.in_channels}, g.window.in);
  d.destination = DimsWith({g.batch, g.out_channels}, g.window.out);
  d.weights = g.groups == 1
                  ? DimsWith({g.out_channels, g.in_channels}, g.window.kernel)
                  : DimsWith({g.groups, g.out_channels / g.groups, g.in_channels / g.groups},
                             g.window.kernel);
  d.strides = g.window.stride;
  for (const int64_t dilation : g.window.dilation)
    d.dilates.push_back(dilation - 1);  // oneDNN counts the gaps
  d.pad_begin = g.window.pad_before;
  d.pad_end = g.window.pad_after;
  if (g.has_bias) d.bias = VectorDesc(g.out_channels);
  return d;
}

Layout ConvolutionWeightsLayout(const ConvolutionGeometry& geometry) {
  return Layout::Plain(DimsOf(geometry).weights);
}

StatusOr<Primitive> OnednnConvolutionForward(const ConvolutionGeometry& g, const Layout& source) {
  return Guarded("a convolution", [&] {
    const auto pd = ForwardDesc(g, source);
    return MakePrimitive(dnnl::convolution_forward(pd), pd,
                         {{Role::kSource, pd.src_desc()},
                          {Role::kWeights, pd.weights_desc()},
                          {Role::kBias, pd.bias_desc()},
                          {Role::kDestination, pd.dst_desc()}});
  });
}

StatusOr<Primitive> OnednnConvolutionBackwardData(const ConvolutionGeometry& g,
                                                  const Layout& diff_destination) {
  return Guarded("a convolution's input gradient", [&] {
    const ConvolutionDims d = DimsOf(g);
    const dnnl::convolution_backward_data::primitive_desc pd(
        {algorithm::convolution_direct, AnyDesc(d.source, g.types.diff_source),
         AnyDesc(d.weights, g.types.factors),
         WishedDesc(diff_destination, d.destination, g.types.factors), d.strides, d.dilates,
         d.pad_begin, d.pad_end},
        UserScratchpad(), CpuEngine(), ForwardDesc(g, Layout()));
    return MakePrimitive(dnnl::convolution_backward_data(pd), pd,
                         {{Role::kDiffSource, pd.diff_src_desc()},
                          {Role::kWeights, pd.weights_desc()},
                          {Role::kDiffDestination, pd.diff_dst_desc()}});
  });
}

StatusOr<Primitive> OnednnConvolutionBackwardWeights(const ConvolutionGeometry& g,
                                                     const Layout& source,
                                                     const Layout& diff_destination) {
  return Guarded("a convolution's weight gradient", [&] {
    const ConvolutionDims d = DimsOf(g);
    ConvolutionGeometry hint = g;
    if (g.types.for_weights == DataType::kFloat32) hint.types = {};
    const dnnl::convolution_backward_weights::primitive_desc pd(
        {algorithm::convolution_direct, WishedDesc(source, d.source, g.types.for_weights),
         AnyDesc(d.weights), d.bias,
         WishedDesc(diff_destination, d.destination, g.types.for_weights), d.strides, d.dilates,
         d.pad_begin, d.pad_end},
        UserScratchpad(), CpuEngine(), ForwardDesc(hint, Layout()));
    return MakePrimitive(dnnl::convolution_backward_weights(pd), pd,
                         {{Role::kSource, pd.src_desc()},
                          {Role::kDiffWeights, pd.diff_weights_desc()},
                          {Role::kDiffBias, pd.diff_bias_desc()},
                          {Role::kDiffDestination, pd.diff_dst_desc()}});
  });
}

}  // namespace dl::nn
