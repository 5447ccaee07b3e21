// The sliding window that convolution and pooling share: per axis
// out = floor((in + 2 padding - kernel) / stride) + 1; what does not fill a last window is left
// out.
#pragma once

#include "nn/conf/layers/layer.h"

namespace dl::nn {

struct Extent2D {
  int64_t height = 0;
  int64_t width = 0;
  bool operator==(const Extent2D&) const = default;
};

struct Window {
  Extent2D kernel;
  Extent2D stride;
  Extent2D padding = {};  // zeros (or nothing, for pooling) added on both sides
  bool operator==(const Window&) const = default;

  // kernel and stride from 1, 0 <= padding < kernel: every window then covers at least one value of
  // the input.
  void Check(Mistakes& mistakes) const;
  // Height and width of the output; nullopt and a mistake when the kernel does not fit.
  std::optional<Extent2D> OutputExtent(const InputType& input, Mistakes& mistakes) const;
  void WriteJson(Json& json) const;  // "kernel": [h, w], "stride", "padding"
  void ReadJson(JsonObjectReader& reader);
};

}  // namespace dl::nn
