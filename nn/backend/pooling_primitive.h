// Pooling of images and volumes. Max: the largest element of the window; the gradient goes to the
// first such element, which a workspace stores. Average: the mean over the window's elements inside
// the input, or over the whole window with zeros outside.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "nn/backend/primitive.h"
#include "nn/backend/window_geometry.h"
#include "nn/conf/kernel_set.h"

namespace dl::nn {

enum class PoolingKind : uint8_t { kMax, kAverageInside, kAverageWindow };

struct PoolingGeometry {
  PoolingKind kind = PoolingKind::kMax;
  int64_t batch = 1, channels = 1;
  WindowGeometry window;
  KernelSet kernels = KernelSet::kNative;
};

// Whether the forward primitive stores the positions of the largest elements for the backward
// primitive.
enum class PoolingWorkspace : uint8_t { kKept, kNone };

// `source` is the layout of the input and must not be empty.
StatusOr<Primitive> PoolingForward(const PoolingGeometry& geometry, const Layout& source,
                                   PoolingWorkspace workspace);
// `source` is the layout of the result, and `destination` is the layout of the incoming gradient.
// Both are the layouts of the forward primitive.
StatusOr<Primitive> PoolingBackward(const PoolingGeometry& geometry, const Layout& source,
                                    const Layout& destination);

}  // namespace dl::nn
