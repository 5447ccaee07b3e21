#include "nn/backend/batch_normalization.h"

#include "nn/backend/onednn/onednn.h"
#include "nn/backend/onednn/onednn_products.h"

namespace dl::nn {
namespace {

using dnnl::normalization_flags;

const auto kAffine = normalization_flags::use_scale | normalization_flags::use_shift;

normalization_flags FlagsOf(BatchStatistics statistics) {
  return statistics == BatchStatistics::kGiven ? kAffine | normalization_flags::use_global_stats
                                               : kAffine;
}

dnnl::batch_normalization_forward::primitive_desc ForwardDesc(const Layout& source, double epsilon,
                                                              BatchStatistics statistics,
                                                              dnnl::prop_kind kind) {
  return {{kind, source.impl().desc, static_cast<float>(epsilon), FlagsOf(statistics)},
          UserScratchpad(),
          CpuEngine()};
}

}  // namespace

StatusOr<Primitive> OnednnBatchNormalizationForward(const BatchNormalizationGeometry& g) {
  return Guarded("a batch normalization", [&] {
    const auto pd =
        ForwardDesc(g.source, g.epsilon, g.statistics,
                    g.statistics == BatchStatistics::kGiven ? dnnl::prop_kind::forward_inference
                                                            : dnnl::prop_kind::forward_training);
    const dnnl::memory::desc vector = VectorDesc(g.source.dims()[1]);
    return MakePrimitive(dnnl::batch_normalization_forward(pd), pd,
                         {{Role::kSource, pd.src_desc()},
                          {Role::kDestination, pd.dst_desc()},
                          {Role::kMean, pd.mean_desc()},
                          {Role::kVariance, pd.variance_desc()},
                          {Role::kScale, vector},
                          {Role::kShift, vector},
                          {Role::kWorkspace, pd.workspace_desc()}});
  });
}

StatusOr<Primitive> OnednnBatchNormalizationBackward(const BatchNormalizationGeometry& g) {
  return Guarded("a batch normalization's gradient", [&] {
    const dnnl::batch_normalization_backward::primitive_desc pd(
        {dnnl::prop_kind::backward, g.source.impl().desc, g.source.impl().desc,
         static_cast<float>(g.epsilon), FlagsOf(g.statistics)},
        UserScratchpad(), CpuEngine(),
        ForwardDesc(g.source, g.epsilon, g.statistics, dnnl::prop_kind::forward_training));
    const dnnl::memory::desc vector = VectorDesc(g.source.dims()[1]);
    return MakePrimitive(dnnl::batch_normalization_backward(pd), pd,
                         {{Role::kSource, pd.src_desc()},
                          {Role::kMean, pd.mean_desc()},
                          {Role::kVariance, pd.variance_desc()},
                          {Role::kScale, vector},
                          {Role::kShift, vector},  // unused, but oneDNN requires the argument
                          {Role::kDiffDestination, pd.diff_dst_desc()},
                          {Role::kDiffSource, pd.diff_src_desc()},
                          {Role::kDiffScale, vector},
                          {Role::kDiffShift, vector},
                          {Role::kWorkspace, pd.workspace_desc()}});
  });
}

}  // namespace dl::nn
