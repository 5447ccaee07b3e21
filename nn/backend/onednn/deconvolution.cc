#include "nn/backend/deconvolution.h"

#include "nn/backend/onednn/convolution_dims.h"
#include "nn/backend/onednn/onednn.h"
#include "nn/backend/onednn/onednn_products.h"

namespace dl::nn {
namespace {

using dnnl::algorithm;
using dnnl::memory;

dnnl::deconvolution_forward::primitive_desc ForwardDesc(const ConvolutionGeometry& g,
                                                        const Layout& source) {
  const ConvolutionDims d = DimsOf(g);
  return {{dnnl::prop_kind::forward_training, algorithm::deconvolution_direct,
           WishedDesc(source, d.source), AnyDesc(d.weights), d.bias, AnyDesc(d.destination),
           d.strides, d.dilates, d.pad_begin, d.pad_end},
          UserScratchpad(),
          CpuEngine()};
}

}  // namespace

StatusOr<Primitive> OnednnDeconvolutionForward(const ConvolutionGeometry& g, const Layout& source) {
  return Guarded("a transposed convolution", [&] {
    const auto pd = ForwardDesc(g, source);
    return MakePrimitive(dnnl::deconvolution_forward(pd), pd,
                         {{Role::kSource, pd.src_desc()},
                          {Role::kWeights, pd.weights_desc()},
                          {Role::kBias, pd.bias_desc()},
                          {Role::kDestination, pd.dst_desc()}});
  });
}

StatusOr<Primitive> OnednnDeconvolutionBackwardData(const ConvolutionGeometry& g,
                                                    const Layout& diff_destination) {
  return Guarded("a transposed convolution's input gradient", [&] {
    const ConvolutionDims d = DimsOf(g);
    const dnnl::deconvolution_backward_data::primitive_desc pd(
        {algorithm::deconvolution_direct, AnyDesc(d.source), AnyDesc(d.weights),
         WishedDesc(diff_destination, d.destination), d.strides, d.dilates, d.pad_begin, d.pad_end},
        UserScratchpad(), CpuEngine(), ForwardDesc(g, Layout()));
    return MakePrimitive(dnnl::deconvolution_backward_data(pd), pd,
                         {{Role::kDiffSource, pd.diff_src_desc()},
                          {Role::kWeights, pd.weights_desc()},
                          {Role::kDiffDestination, pd.diff_dst_desc()}});
  });
}

StatusOr<Primitive> OnednnDeconvolutionBackwardWeights(const ConvolutionGeometry& g,
                                                       const Layout& source,
                                                       const Layout& diff_destination) {
  return Guarded("a transposed convolution's weight gradient", [&] {
    const ConvolutionDims d = DimsOf(g);
    const dnnl::deconvolution_backward_weights::primitive_desc pd(
        {algorithm::deconvolution_direct, WishedDesc(source, d.source), AnyDesc(d.weights), d.bias,
         WishedDesc(diff_destination, d.destination), d.strides, d.dilates, d.pad_begin, d.pad_end},
        UserScratchpad(), CpuEngine(), ForwardDesc(g, Layout()));
    return MakePrimitive(dnnl::deconvolution_backward_weights(pd), pd,
                         {{Role::kSource, pd.src_desc()},
                          {Role::kDiffWeights, pd.diff_weights_desc()},
                          {Role::kDiffBias, pd.diff_bias_desc()},
                          {Role::kDiffDestination, pd.diff_dst_desc()}});
  });
}

}  // namespace dl::nn
