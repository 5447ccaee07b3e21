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

// [height, width] in JSON, or one number for both.
Json ToJson(const Extent2D& extent);
void ReadValue(JsonObjectReader& reader, std::string_view key, Extent2D& out);
void CheckValue(const Field& field, const Extent2D& extent, Mistakes& mistakes);
void DescribeValue(const Field& field, const Extent2D& extent, std::vector<KeyRow>& rows);

struct Window {
  Extent2D kernel;
  Extent2D stride;
  Extent2D padding = {};  // zeros (or nothing, for pooling) added on both sides
  bool operator==(const Window&) const = default;

  // padding < kernel: every window then covers at least one value of the input.
  void Check(Mistakes& mistakes) const;
  // Height and width of the output; nullopt and a mistake when the kernel does not fit.
  std::optional<Extent2D> OutputExtent(const InputType& input, Mistakes& mistakes) const;

  // kMaxWindow is small enough that in + 2 padding cannot overflow.
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(Field{.key = "kernel",
                .what = "the kernel's",
                .unit = "pixels",
                .min = 1,
                .max = limits::kMaxWindow,
                .meaning = "Height and width of the window, or one number for both; default: 3 for "
                           "conv2d, 2 for pooling"},
          self.kernel);
    visit(Field{.key = "stride",
                .what = "the stride's",
                .unit = "pixels",
                .min = 1,
                .max = limits::kMaxWindow,
                .meaning = "Steps of the window, down and across; default: 1 for conv2d, the "
                           "kernel for pooling"},
          self.stride);
    visit(Field{.key = "padding",
                .what = "the padding's",
                .unit = "pixels",
                .max = limits::kMaxWindow - 1,
                .meaning = "Border on both sides, smaller than the kernel"},
          self.padding);
  }
};

}  // namespace dl::nn
