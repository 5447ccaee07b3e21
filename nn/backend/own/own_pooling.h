// Pooling with the loops of nn/kernels/pooling_kernels.h. The functions are those of
// nn/backend/pooling_primitive.h. The position of a largest element is a byte, or two bytes in
// windows of more than 256 elements.
#pragma once

#include "nn/backend/pooling_primitive.h"

namespace dl::nn {

// Returns whether the functions below can compute this pooling: values are float32, the layout has
// planes (Layout::ImagePlanes), and the windows of a largest element have at most 65,536 elements.
bool OwnPoolingCan(const PoolingGeometry& geometry, const Layout& source);

// REQUIRE: OwnPoolingCan.
Primitive OwnPoolingForward(const PoolingGeometry& geometry, const Layout& source,
                            PoolingWorkspace workspace);
Primitive OwnPoolingBackward(const PoolingGeometry& geometry, const Layout& source);

}  // namespace dl::nn
