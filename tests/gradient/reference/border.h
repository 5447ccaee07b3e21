// How much padding a window has before the first row and column of an input.
#pragma once

#include <cstdint>

#include "nn/conf/layers/window.h"

namespace dl::reference {

// Of an axis: "same" centres the reach of all windows over the input, and an odd pixel is at the
// end.
inline int64_t BorderBefore(int64_t in, int64_t stride, int64_t reach) {
  int64_t outputs = 0;
  while (outputs * stride < in) ++outputs;  // ceil(in / stride)
  const int64_t covered = (outputs - 1) * stride + reach;
  return covered > in ? (covered - in) / 2 : 0;
}

inline nn::Extent2D BorderBefore(const nn::Window& window, const nn::InputType& in) {
  if (!window.padding.same) return window.padding.size;
  return {BorderBefore(in.height, window.stride.height,
                       1 + (window.kernel.height - 1) * window.dilation.height),
          BorderBefore(in.width, window.stride.width,
                       1 + (window.kernel.width - 1) * window.dilation.width)};
}

}  // namespace dl::reference
