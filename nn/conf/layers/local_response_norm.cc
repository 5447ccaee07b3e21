#include "nn/conf/layers/local_response_norm.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

void LocalResponseNorm::Check(Mistakes& mistakes) const {
  if (size < 1 || size >= limits::kMaxWindow || size % 2 == 1) return;
  mistakes.Add(absl::StrCat("a size of ", size, " channels has no middle channel"),
               absl::StrCat("Choose an odd size, as ", size + 1));
}

std::vector<LayerSample> LocalResponseNorm::Samples() {
  return {
      {LocalResponseNorm(), Image(7, 3, 2)},
      {LocalResponseNorm().Size(3).Alpha(0.5).Beta(0.6).K(1), Image(4, 2, 3)},
      {LocalResponseNorm().Size(9).Alpha(0.1).K(0.5), Image(3, 3, 3)},
      {LocalResponseNorm().Size(1).Alpha(2).Beta(0.5), Image(2, 4, 1)},
  };
}

}  // namespace dl::nn
