#include "nn/backend/onednn/onednn_reorder.h"

#include "nn/backend/onednn/onednn.h"

namespace dl::nn {

StatusOr<Primitive> OnednnReorder(const Layout& from, const Layout& to) {
  return Guarded("a reorder", [&] {
    const dnnl::memory::desc& source = from.impl().desc;
    const dnnl::memory::desc& destination = to.impl().desc;
    const dnnl::reorder::primitive_desc pd(CpuEngine(), source, CpuEngine(), destination,
                                           UserScratchpad());
    return MakePrimitive(dnnl::reorder(pd), pd,
                         {{Role::kSource, source}, {Role::kDestination, destination}},
                         StepPart::Kind::kReorder);
  });
}

}  // namespace dl::nn
