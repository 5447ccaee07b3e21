#include "nn/backend/pooling_primitive.h"

#include "nn/backend/onednn/onednn_pooling.h"
#include "nn/backend/own/own_pooling.h"

namespace dl::nn {
namespace {

// bench/nn/pooling.cc compares both. The project's kernels are faster where a vector holds values
// of one pixel. oneDNN is faster in plain layouts, for which it arranges blocks of channels first.
bool UsesOwn(const PoolingGeometry& g, const Layout& source) {
  constexpr int64_t kVector = 8;
  return OwnPoolingCan(g, source) && source.ImagePlanes()->inner >= kVector;
}

Status CheckPortable(const PoolingGeometry& g, const Layout& source) {
  if (OwnPoolingCan(g, source)) return absl::OkStatus();
  return FailedPrecondition({.message = "the portable kernels lack pooling with this window",
                             .where = "kernels",
                             .remedy = "Use a smaller window or native kernels."});
}

}  // namespace

StatusOr<Primitive> PoolingForward(const PoolingGeometry& g, const Layout& source,
                                   PoolingWorkspace workspace) {
  if (g.kernels == KernelSet::kPortable) {
    DL_RETURN_IF_ERROR(CheckPortable(g, source));
    return OwnPoolingForward(g, source, workspace);
  }
  if (UsesOwn(g, source)) return OwnPoolingForward(g, source, workspace);
  return OnednnPoolingForward(g, source, workspace);
}

StatusOr<Primitive> PoolingBackward(const PoolingGeometry& g, const Layout& source,
                                    const Layout& destination) {
  if (g.kernels == KernelSet::kPortable) {
    DL_RETURN_IF_ERROR(CheckPortable(g, source));
    return OwnPoolingBackward(g, source);
  }
  if (UsesOwn(g, source)) return OwnPoolingBackward(g, source);
  return OnednnPoolingBackward(g, source, destination);
}

}  // namespace dl::nn
