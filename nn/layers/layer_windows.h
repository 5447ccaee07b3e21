// Converts a window of the model into the form that the backend's kernels use.
#pragma once

#include "nn/backend/window_geometry.h"
#include "nn/conf/layers/window.h"

namespace dl::nn {

template <AnExtent Extent>
WindowGeometry::Axes AxesOf(const Extent& extent) {
  WindowGeometry::Axes axes;
  for (const auto axis : Extent::kAxes) axes.push_back(extent.*axis);
  return axes;
}

// Returns the geometry of a window from `input` to `output`. `padded` is the type to which padding
// is added: the input, or the output of a transposed convolution.
template <AnExtent Extent>
WindowGeometry GeometryOf(const WindowOf<Extent>& window, const InputType& input,
                          const InputType& output, const InputType& padded) {
  const auto borders = window.BordersOf(padded);
  return {.in = AxesOf(Extent::Of(input)),
          .out = AxesOf(Extent::Of(output)),
          .kernel = AxesOf(window.kernel),
          .stride = AxesOf(window.stride),
          .dilation = AxesOf(window.dilation),
          .pad_before = AxesOf(borders.before),
          .pad_after = AxesOf(borders.after)};
}

}  // namespace dl::nn
