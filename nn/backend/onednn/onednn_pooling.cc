#include "nn/backend/onednn/onednn_pooling.h"

#include "nn/backend/onednn/onednn.h"

namespace dl::nn {
namespace {

using dnnl::algorithm;
using dnnl::memory;

algorithm AlgorithmOf(PoolingKind kind) {
  switch (kind) {
    case PoolingKind::kMax:
      return algorithm::pooling_max;
    case PoolingKind::kAverageInside:
      return algorithm::pooling_avg_exclude_padding;
    case PoolingKind::kAverageWindow:
      return algorithm::pooling_avg_include_padding;
  }
  return algorithm::undef;
}

dnnl::pooling_forward::primitive_desc ForwardDesc(const PoolingGeometry& g, const Layout& source,
                                                  const Layout& destination,
                                                  PoolingWorkspace workspace) {
  return {{workspace == PoolingWorkspace::kKept ? dnnl::prop_kind::forward_training
                                                : dnnl::prop_kind::forward_inference,
           AlgorithmOf(g.kind), source.impl().desc,
           WishedDesc(destination, DimsWith({g.batch, g.channels}, g.window.out), source.type()),
           g.window.stride, g.window.kernel, g.window.pad_before, g.window.pad_after},
          UserScratchpad(),
          CpuEngine()};
}

}  // namespace

StatusOr<Primitive> OnednnPoolingForward(const PoolingGeometry& g, const Layout& source,
                                         PoolingWorkspace workspace) {
  return Guarded("a pooling", [&] {
    const auto pd = ForwardDesc(g, source, Layout(), workspace);
    return MakePrimitive(dnnl::pooling_forward(pd), pd,
                         {{Role::kSource, pd.src_desc()},
                          {Role::kDestination, pd.dst_desc()},
                          {Role::kWorkspace, pd.workspace_desc()}});
  });
}

StatusOr<Primitive> OnednnPoolingBackward(const PoolingGeometry& g, const Layout& source,
                                          const Layout& destination) {
  return Guarded("a pooling's gradient", [&] {
    const auto hint = ForwardDesc(g, source, destination, PoolingWorkspace::kKept);
    const dnnl::pooling_backward::primitive_desc pd(
        {AlgorithmOf(g.kind), source.impl().desc, destination.impl().desc, g.window.stride,
         g.window.kernel, g.window.pad_before, g.window.pad_after},
        UserScratchpad(), CpuEngine(), hint);
    return MakePrimitive(dnnl::pooling_backward(pd), pd,
                         {{Role::kDiffSource, pd.diff_src_desc()},
                          {Role::kDiffDestination, pd.diff_dst_desc()},
                          {Role::kWorkspace, pd.workspace_desc()}});
  });
}

}  // namespace dl::nn
