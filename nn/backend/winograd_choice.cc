#include "nn/backend/winograd_choice.h"

#include <algorithm>

namespace dl::nn {

bool CanUseWinograd(const ConvolutionGeometry& g) {
  constexpr int64_t kWindow = 3, kBlock = 16;
  const auto are = [](const WindowGeometry::Axes& axes, int64_t value) {
    return std::ranges::all_of(axes, [value](int64_t axis) { return axis == value; });
  };
  const auto is_narrow = [](int64_t pad) { return pad <= 1; };
  const WindowGeometry& w = g.window;
  // With padding on one side only, oneDNN 2.6.3 computes wrong gradients of the input.
  return g.types.factors == DataType::kFloat32 && g.types.for_weights == DataType::kFloat32 &&
         g.groups == 1 && w.in.size() == 2 && are(w.kernel, kWindow) && are(w.stride, 1) &&
         are(w.dilation, 1) && w.pad_before == w.pad_after &&
         std::ranges::all_of(w.pad_before, is_narrow) && g.in_channels % kBlock == 0 &&
         g.out_channels % kBlock == 0;
}

bool WinogradIsChosen(const ConvolutionGeometry& g, Isa isa, WinogradResult result) {
  return isa == Isa::kAvx512 && CanUseWinograd(g) &&
         UsesWinograd({.batch = g.batch,
                       .in_channels = g.in_channels,
                       .out_channels = g.out_channels,
                       .height = g.window.out[0],
                       .width = g.window.out[1]},
                      result);
}

}  // namespace dl::nn
