// Pooling of images and of volumes. Max: the window's largest element; its gradient goes to the
// first one (kept in a workspace). Average: the mean over the window, either over the elements
// inside the input or over the full window with zeros outside.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "nn/backend/primitive.h"
#include "nn/backend/window_geometry.h"

namespace dl::nn {

enum class PoolingKind : uint8_t { kMax, kAverageInside, kAverageWindow };

struct PoolingGeometry {
  PoolingKind kind = PoolingKind::kMax;
  int64_t batch = 1, channels = 1;
  WindowGeometry window;
};

// Whether the forward primitive notes where each largest element was, for the backward one.
enum class PoolingWorkspace : uint8_t { kKept, kNone };

// `source` is the layout that the producer wrote; not empty.
StatusOr<Primitive> PoolingForward(const PoolingGeometry& geometry, const Layout& source,
                                   PoolingWorkspace workspace);
// Both layouts as the forward primitive has them: source for the result, destination for the
// incoming gradient.
StatusOr<Primitive> PoolingBackward(const PoolingGeometry& geometry, const Layout& source,
                                    const Layout& destination);

}  // namespace dl::nn
