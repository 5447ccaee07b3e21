// oneDNN's weight gradient of a dense layer. InnerProductBackwardWeights chooses between it and an
// own kernel.
#pragma once

#include "base/status.h"
#include "nn/backend/inner_product.h"

namespace dl::nn {

// Has the contract of InnerProductBackwardWeights.
StatusOr<Primitive> OnednnInnerProductBackwardWeights(const InnerProductGeometry& geometry,
                                                      const Layout& source,
                                                      const Layout& diff_destination);

}  // namespace dl::nn
