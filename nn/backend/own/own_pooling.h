// Pooling with the loops of nn/kernels/pooling_kernels.h, for nn/backend/pooling_primitive.h. In
// max pooling, the workspace has the position of each largest element in its window. A position
// takes a byte, or two bytes in windows of more than 256 elements.
#pragma once

#include "nn/backend/pooling_primitive.h"

namespace dl::nn {

// Returns whether the functions below can compute this pooling. Values must be float32 or bf16, and
// the layout must have planes (Layout::ImagePlanes). Windows of max pooling must have at most
// 65,536 elements. Values in bf16 are computed in float32, and results are rounded to bf16.
bool OwnPoolingCan(const PoolingGeometry& geometry, const Layout& source);

// REQUIRE: OwnPoolingCan.
Primitive OwnPoolingForward(const PoolingGeometry& geometry, const Layout& source,
                            PoolingWorkspace workspace);
Primitive OwnPoolingBackward(const PoolingGeometry& geometry, const Layout& source);

}  // namespace dl::nn
