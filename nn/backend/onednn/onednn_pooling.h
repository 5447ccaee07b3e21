// Pooling with oneDNN. The functions are those of nn/backend/pooling_primitive.h, and the position
// of a largest element is a byte or, in windows of more than 255 elements, an integer of 4 bytes.
#pragma once

#include "nn/backend/pooling_primitive.h"

namespace dl::nn {

StatusOr<Primitive> OnednnPoolingForward(const PoolingGeometry& geometry, const Layout& source,
                                         PoolingWorkspace workspace);
StatusOr<Primitive> OnednnPoolingBackward(const PoolingGeometry& geometry, const Layout& source,
                                          const Layout& destination);

}  // namespace dl::nn
