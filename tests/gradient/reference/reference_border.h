// Windows of the reference, over depth, height and width; an image is a volume of depth 1. Also
// computes the padding before the first value along each axis.
#pragma once

#include <cstdint>

#include "nn/conf/layers/window.h"

namespace dl::reference {

// Padding of one axis. "same" centers the reach of all windows on the input; an odd pixel is padded
// at the end.
inline int64_t BorderBefore(int64_t in, int64_t stride, int64_t reach) {
  int64_t outputs = 0;
  while (outputs * stride < in) ++outputs;  // ceil(in / stride)
  const int64_t covered = (outputs - 1) * stride + reach;
  return covered > in ? (covered - in) / 2 : 0;
}

inline nn::Extent3D BorderBefore(const nn::Window3D& window, const nn::InputType& in) {
  if (!window.padding.same) return window.padding.size;
  return {BorderBefore(in.depth, window.stride.depth,
                       1 + (window.kernel.depth - 1) * window.dilation.depth),
          BorderBefore(in.height, window.stride.height,
                       1 + (window.kernel.height - 1) * window.dilation.height),
          BorderBefore(in.width, window.stride.width,
                       1 + (window.kernel.width - 1) * window.dilation.width)};
}

inline const nn::Window3D& OfVolumes(const nn::Window3D& window) { return window; }
inline nn::Window3D OfVolumes(const nn::Window& window) {
  const nn::Extent2D &kernel = window.kernel, &stride = window.stride,
                     &padding = window.padding.size, &dilation = window.dilation;
  return {.kernel = {1, kernel.height, kernel.width},
          .stride = {1, stride.height, stride.width},
          .padding = {.size = {0, padding.height, padding.width}, .same = window.padding.same},
          .dilation = {1, dilation.height, dilation.width}};
}

}  // namespace dl::reference
