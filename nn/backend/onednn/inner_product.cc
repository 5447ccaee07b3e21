#include "nn/backend/inner_product.h"

#include "nn/backend/onednn/onednn.h"
#include "nn/backend/onednn/onednn_products.h"

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
                                                        const Layout& source,
                                                        const memory::desc& weights) {
  return {{dnnl::prop_kind::forward_training, WishedDesc(source, g.source, g.types.factors),
           weights, BiasDesc(g), AnyDesc(DestinationDims(g), g.types.destination)},
          UserScratchpad(),
          CpuEngine()};
}

// Returns the layout of weights to ask for in all three products. Kernels with blocked weights
// choose their layout, which is the same for the three. oneDNN's other kernel, gemm, accepts every
// plain layout with about the same speed, but asks for a transposed matrix in some products and not
// in others. Then weights and their gradient would be transposed in each step, which takes longer
// than a product of a small batch. The canonical layout needs no conversion for states, either.
memory::desc WantedWeights(const InnerProductGeometry& g) {
  const memory::desc any = AnyDesc(WeightsDims(g), g.types.factors);
  if (g.types.factors != DataType::kFloat32) return any;
  const memory::desc chosen = ForwardDesc(g, Layout(), any).weights_desc();
  const bool is_blocked = chosen.data.format_desc.blocking.inner_nblks > 0;
  return is_blocked ? any : InnerProductWeightsLayout(g).impl().desc;
}
memory::desc WantedGradient(const InnerProductGeometry& g) {
  return g.types.factors == DataType::kFloat32 ? WantedWeights(g) : AnyDesc(WeightsDims(g));
}

}  // namespace

Layout InnerProductWeightsLayout(const InnerProductGeometry& geometry) {
  return Layout::Plain(WeightsDims(geometry));
}

StatusOr<Primitive> OnednnInnerProductForward(const InnerProductGeometry& g, const Layout& source) {
  return Guarded("an inner product", [&] {
    const auto pd = ForwardDesc(g, source, WantedWeights(g));
    return MakePrimitive(dnnl::inner_product_forward(pd), pd,
                         {{Role::kSource, pd.src_desc()},
                          {Role::kWeights, pd.weights_desc()},
                          {Role::kBias, pd.bias_desc()},
                          {Role::kDestination, pd.dst_desc()}});
  });
}

StatusOr<Primitive> OnednnInnerProductBackwardData(const InnerProductGeometry& g,
                                                   const Layout& diff_destination) {
  return Guarded("an inner product's input gradient", [&] {
    const memory::desc weights = WantedWeights(g);
    const dnnl::inner_product_backward_data::primitive_desc pd(
        {AnyDesc(g.source, g.types.diff_source), weights,
         WishedDesc(diff_destination, DestinationDims(g), g.types.factors)},
        UserScratchpad(), CpuEngine(), ForwardDesc(g, Layout(), weights));
    return MakePrimitive(dnnl::inner_product_backward_data(pd), pd,
                         {{Role::kDiffSource, pd.diff_src_desc()},
                          {Role::kWeights, pd.weights_desc()},
                          {Role::kDiffDestination, pd.diff_dst_desc()}});
  });
}

StatusOr<Primitive> OnednnInnerProductBackwardWeights(const InnerProductGeometry& g,
                                                      const Layout& source,
                                                      const Layout& diff_destination) {
  return Guarded("an inner product's weight gradient", [&] {
    const memory::desc weights = WantedWeights(g);
    const dnnl::inner_product_backward_weights::primitive_desc pd(
        {WishedDesc(source, g.source, g.types.for_weights), WantedGradient(g), BiasDesc(g),
         WishedDesc(diff_destination, DestinationDims(g), g.types.for_weights)},
        UserScratchpad(), CpuEngine(), ForwardDesc(g, Layout(), weights));
    return MakePrimitive(dnnl::inner_product_backward_weights(pd), pd,
                         {{Role::kSource, pd.src_desc()},
                          {Role::kDiffWeights, pd.diff_weights_desc()},
                          {Role::kDiffBias, pd.diff_bias_desc()},
                          {Role::kDiffDestination, pd.diff_dst_desc()}});
  });
}

}  // namespace dl::nn
