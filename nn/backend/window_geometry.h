// How a window slides over the axes of an image, {height, width}, or of a volume, {depth, height,
// width}: what convolution and pooling share.
#pragma once

#include <cstdint>
#include <vector>

namespace dl::nn {

// One number for each axis.
struct WindowGeometry {
  using Axes = std::vector<int64_t>;
  Axes in, out;
  Axes kernel, stride;
  Axes dilation;                // of convolutions: from one value under the kernel to the next
  Axes pad_before, pad_behind;  // before the first value, behind the last
};

}  // namespace dl::nn
