// 2-D pooling. Max: the window's largest element; its gradient goes to the first one (kept in a
// workspace). Average: the mean over the window, either over the elements inside the image or over
// the full window with zeros outside.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "nn/backend/primitive.h"

namespace dl::nn {

enum class PoolingKind : uint8_t { kMax, kAverageInside, kAverageWindow };

struct PoolingGeometry {
  PoolingKind kind = PoolingKind::kMax;
  int64_t batch = 1, channels = 1;
  int64_t in_height = 1, in_width = 1, out_height = 1, out_width = 1;
  int64_t kernel_height = 1, kernel_width = 1;
  int64_t stride_height = 1, stride_width = 1;
  int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
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
