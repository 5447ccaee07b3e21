// How a window slides over the axes of an image, {height, width}, or of a volume, {depth, height,
// width}. Used by convolution and pooling.
#pragma once

#include <cstdint>
#include <vector>

namespace dl::nn {

// All members have one number for each axis.
struct WindowGeometry {
  using Axes = std::vector<int64_t>;
  Axes in, out;
  Axes kernel, stride;
  Axes dilation;  // for convolutions: distance between adjacent values under the kernel
  Axes pad_before, pad_after;  // padding before the first value and after the last
};

}  // namespace dl::nn
