#include "nn/backend/inner_product.h"

#include "nn/backend/onednn/onednn.h"

namespace dl::nn {
namespace {

using dnnl::memory;

memory::dims WeightsDims(const InnerProductGeometry& g) {
  memory::dims dims(g.source.begin(), g.source.end());
  dims[0] = g.outputs;
  return dims;
}
memory::dims DestinationDims(const InnerProductGeometry& g) { return {g.source[0], g.outputs}; }
memory::desc BiasDesc(const InnerProductGeometry& g) {
  return g.has_bias ? VectorDesc(g.outputs) : memory::desc();
}

dnnl::inner_product_forward::primitive_desc ForwardDesc(const InnerProductGeometry& g,
                                                        const Layout& source) {
  return {{dnnl::prop_kind::forward_training, WishedDesc(source, g.source), AnyDesc(WeightsDims(g)),
           BiasDesc(g), AnyDesc(DestinationDims(g))},
          UserScratchpad(),
          CpuEngine()};
}

}  // namespace

Layout InnerProductWeightsLayout(const InnerProductGeometry& geometry) {
  return Layout::Plain(WeightsDims(geometry));
}

StatusOr<Primitive> InnerProductForward(const InnerProductGeometry& g, const Layout& source) {
  return Guarded("an inner product", [&] {
    const auto pd = ForwardDesc(g, source);
    return MakePrimitive(dnnl::inner_product_forward(pd), pd,
                         {{Role::kSource, pd.src_desc()},
                          {Role::kWeights, pd.weights_desc()},
                          {Role::kBias, pd.bias_desc()},
                          {Role::kDestination, pd.dst_desc()}});
  });
}

StatusOr<Primitive> InnerProductBackwardData(const InnerProductGeometry& g,
                                             const Layout& diff_destination) {
  return Guarded("an inner product's input gradient", [&] {
    const dnnl::inner_product_backward_data::primitive_desc pd(
        {AnyDesc(g.source), AnyDesc(WeightsDims(g)),
         WishedDesc(diff_destination, DestinationDims(g))},
        UserScratchpad(), CpuEngine(), ForwardDesc(g, Layout()));
    return MakePrimitive(dnnl::inner_product_backward_data(pd), pd,
                         {{Role::kDiffSource, pd.diff_src_desc()},
                          {Role::kWeights, pd.weights_desc()},
                          {Role::kDiffDestination, pd.diff_dst_desc()}});
  });
}

StatusOr<Primitive> InnerProductBackwardWeights(const InnerProductGeometry& g, const Layout& source,
                                                const Layout& diff_destination) {
  return Guarded("an inner product's weight gradient", [&] {
    const dnnl::inner_product_backward_weights::primitive_desc pd(
        {WishedDesc(source, g.source), AnyDesc(WeightsDims(g)), BiasDesc(g),
         WishedDesc(diff_destination, DestinationDims(g))},
        UserScratchpad(), CpuEngine(), ForwardDesc(g, Layout()));
    return MakePrimitive(dnnl::inner_product_backward_weights(pd), pd,
                         {{Role::kSource, pd.src_desc()},
                          {Role::kDiffWeights, pd.diff_weights_desc()},
                          {Role::kDiffBias, pd.diff_bias_desc()},
                          {Role::kDiffDestination, pd.diff_dst_desc()}});
  });
}

}  // namespace dl::nn
