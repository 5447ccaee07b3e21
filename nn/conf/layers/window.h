// The sliding window that convolution and pooling share: per axis
// out = floor((in + 2 padding - reach) / stride) + 1 with reach = (kernel - 1) dilation + 1; what
// does not fill a last window is left out. Padding "same" is as much as makes
// out = ceil(in / stride), half of it on each side and what is odd at the end: TensorFlow's rule
// ("SAME", tf.nn.convolution), which Keras and Deeplearning4j have too.
#pragma once

#include "nn/conf/layers/layer.h"

namespace dl::nn {

// The word for what a padding asks of its input.
inline constexpr std::string_view kSamePadding = "same";

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

// As much on both sides as `size` says, or what "same" asks of the input. In JSON an extent, or
// the word.
struct Padding {
  Extent2D size = {};
  bool same = false;  // then `size` is of no meaning, and 0
  bool operator==(const Padding&) const = default;
};
Json ToJson(const Padding& padding);
void ReadValue(JsonObjectReader& reader, std::string_view key, Padding& out);
void CheckValue(const Field& field, const Padding& padding, Mistakes& mistakes);
void DescribeValue(const Field& field, const Padding& padding, std::vector<KeyRow>& rows);

// Keys of windows. kMaxWindow is small enough that in + 2 padding cannot overflow.
inline constexpr Field kKernelField{
    .key = "kernel",
    .what = "the kernel's",
    .unit = "pixels",
    .min = 1,
    .max = limits::kMaxWindow,
    .meaning =
        "Height and width of the window, or one number for both; of sequences one number, "
        "its steps; default: 3 for convolutions, 2 for pooling"};
inline constexpr Field kStrideField{
    .key = "stride",
    .what = "the stride's",
    .unit = "pixels",
    .min = 1,
    .max = limits::kMaxWindow,
    .meaning =
        "Steps of the window, down and across; default: 1 for convolutions, the kernel for "
        "pooling"};
inline constexpr Field kPaddingField{
    .key = "padding",
    .what = "the padding's",
    .unit = "pixels",
    .max = limits::kMaxWindow - 1,
    .meaning =
        "Border on both sides, smaller than what the kernel reaches over; of "
        "transposed_conv2d it is taken off the output. \"same\": as much as gives ceil(n / "
        "stride) of n pixels, or n stride of them (transposed_conv2d), the odd one at the "
        "end; none by default"};

struct Window {
  Extent2D kernel;
  Extent2D stride;
  Padding padding = {};                           // zeros (or nothing, for pooling)
  Extent2D dilation = {.height = 1, .width = 1};  // from one value of the window to the next
  bool operator==(const Window&) const = default;

  // padding < reach: every window then covers at least one value of the input, or would if it had
  // no gaps.
  void Check(Mistakes& mistakes) const;
  // From the first value of the window to the last, both included.
  Extent2D Reach() const;
  // The padding before the first row and column, and behind the last, of an input.
  struct Borders {
    Extent2D before, behind;
  };
  Borders BordersOf(const InputType& input) const;
  // Height and width of the output; nullopt and a mistake when the kernel does not fit.
  std::optional<Extent2D> OutputExtent(const InputType& input, Mistakes& mistakes) const;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(kKernelField, self.kernel);
    visit(kStrideField, self.stride);
    visit(kPaddingField, self.padding);
  }
};

}  // namespace dl::nn
