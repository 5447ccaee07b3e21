// Attributes of ONNX's operators with windows: convolution and pooling.
#pragma once

#include <vector>

#include "inference/onnx/graph.h"
#include "nn/conf/layers/window.h"
#include "nn/conf/layers/window1d.h"

namespace dl::inference {

template <nn::AnExtent Extent>
std::vector<int64_t> ListOf(const Extent& extent) {
  std::vector<int64_t> list;
  for (const auto axis : Extent::kAxes) list.push_back(extent.*axis);
  return list;
}

// Returns the padding before the values of each axis, then the padding after them.
template <typename Borders>
std::vector<int64_t> PadsOf(const Borders& borders) {
  std::vector<int64_t> pads = ListOf(borders.before);
  for (const int64_t after : ListOf(borders.after)) pads.push_back(after);
  return pads;
}

// Returns "kernel_shape", "strides" and "pads" of the window over `input`. The padding contains the
// end of the last window of ceil_mode, because runtimes differ in their attribute "ceil_mode".
template <nn::AnExtent Extent>
OnnxAttributes WindowAttributes(const nn::WindowOf<Extent>& window, const nn::InputType& input) {
  return {{"kernel_shape", ListOf(window.kernel)},
          {"strides", ListOf(window.stride)},
          {"pads", PadsOf(window.BordersOf(input))}};
}

// Returns these attributes for a window over the steps of a sequence. `front` are steps of zeros
// before the first step, in addition to the padding.
inline OnnxAttributes WindowAttributes(const nn::Window1D& window, const nn::InputType& sequence,
                                       int64_t front) {
  nn::InputType image = nn::AsImage(sequence);
  image.height += front;
  const auto borders = window.As2D().BordersOf(image);
  return {{"kernel_shape", std::vector<int64_t>{window.kernel.steps}},
          {"strides", std::vector<int64_t>{window.stride.steps}},
          {"pads", std::vector<int64_t>{borders.before.height + front, borders.after.height}}};
}

}  // namespace dl::inference
