// The sliding window of convolution and pooling. For each axis:
//   reach = (kernel - 1) dilation + 1
//   out = floor((in + 2 padding - reach) / stride) + 1
// Values that do not fill a last window are ignored.
//
// With ceil_mode (only for pooling) the quotient is rounded up, so the last window may reach beyond
// the padding. A window that would begin after the end of the input is omitted. This is PyTorch's
// rule (pooling_output_shape).
//
// Padding "same" is the amount that gives out = ceil(in / stride). Each side gets half of it, and
// the end gets the odd pixel. This is the rule of TensorFlow ("SAME", tf.nn.convolution), Keras and
// Deeplearning4j.
#pragma once

#include <array>

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

// JSON value of a padding that depends on the size of the input.
inline constexpr std::string_view kSamePadding = "same";

// A number for each axis, in the order of tensors and of JSON.
struct Extent2D {
  int64_t height = 0;
  int64_t width = 0;
  bool operator==(const Extent2D&) const = default;

  static constexpr std::array kAxes = {&Extent2D::height, &Extent2D::width};
  static constexpr std::array<std::string_view, 2> kNames = {"height", "width"};
  static Extent2D Of(const InputType& image) { return {image.height, image.width}; }
};
struct Extent3D {
  int64_t depth = 0;
  int64_t height = 0;
  int64_t width = 0;
  bool operator==(const Extent3D&) const = default;

  static constexpr std::array kAxes = {&Extent3D::depth, &Extent3D::height, &Extent3D::width};
  static constexpr std::array<std::string_view, 3> kNames = {"depth", "height", "width"};
  static Extent3D Of(const InputType& volume) {
    return {volume.depth, volume.height, volume.width};
  }
};
template <typename T>
concept AnExtent = requires {
  T::kAxes;
};

inline InputType Spatial(int64_t channels, const Extent2D& extent) {
  return Image(channels, extent.height, extent.width);
}
inline InputType Spatial(int64_t channels, const Extent3D& extent) {
  return Volume(channels, extent.depth, extent.height, extent.width);
}

// Return an extent from one number for all axes, or from one number for each.
template <AnExtent Extent>
Extent ExtentOf(int64_t everywhere) {
  Extent extent;
  for (const auto axis : Extent::kAxes) extent.*axis = everywhere;
  return extent;
}
template <AnExtent Extent, typename... Sizes>
Extent ExtentOf(int64_t first, int64_t second, Sizes... others) {
  static_assert(2 + sizeof...(others) == Extent::kAxes.size(), "a number for each axis");
  return {first, second, static_cast<int64_t>(others)...};
}
// Returns the extent whose number for each axis is `of` applied to the numbers of that axis.
template <typename Make, AnExtent Extent, AnExtent... Others>
Extent EachAxis(const Make& of, const Extent& extent, const Others&... others) {
  Extent made;
  for (const auto axis : Extent::kAxes) made.*axis = of(extent.*axis, others.*axis...);
  return made;
}

// JSON form: [height, width] or [depth, height, width], or one number for all axes.
template <AnExtent Extent>
Json ToJson(const Extent& extent);
template <AnExtent Extent>
void ReadValue(JsonObjectReader& reader, std::string_view key, Extent& out);
template <AnExtent Extent>
void CheckValue(const Field& field, const Extent& extent, Mistakes& mistakes);
template <AnExtent Extent>
void DescribeValue(const Field& field, const Extent& extent, std::vector<KeyRow>& rows);

// Padding on both sides: a fixed `size`, or "same". JSON form: an extent, or "same".
template <AnExtent Extent>
struct PaddingOf {
  Extent size = {};
  bool same = false;  // then `size` is not used
  bool operator==(const PaddingOf&) const = default;
};
using Padding = PaddingOf<Extent2D>;
template <AnExtent Extent>
Json ToJson(const PaddingOf<Extent>& padding);
template <AnExtent Extent>
void ReadValue(JsonObjectReader& reader, std::string_view key, PaddingOf<Extent>& out);
template <AnExtent Extent>
void CheckValue(const Field& field, const PaddingOf<Extent>& padding, Mistakes& mistakes);
template <AnExtent Extent>
void DescribeValue(const Field& field, const PaddingOf<Extent>& padding, std::vector<KeyRow>& rows);

// Keys of windows. kMaxWindow is small enough that in + 2 padding cannot overflow.
inline constexpr Field kKernelField{
    .key = "kernel",
    .what = "the kernel's",
    .unit = "pixels",
    .min = 1,
    .max = limits::kMaxWindow,
    .meaning =
        "Size of the window: height and width; volumes: depth, height, width; sequences: steps. Or "
        "one number for all. Default: 3; poolings: 2"};
inline constexpr Field kStrideField{.key = "stride",
                                    .what = "the stride's",
                                    .unit = "pixels",
                                    .min = 1,
                                    .max = limits::kMaxWindow,
                                    .meaning =
                                        "Step of the window along each axis, or one number for all "
                                        "axes. Default: 1; poolings: the kernel"};
inline constexpr Field kPaddingField{
    .key = "padding",
    .what = "the padding's",
    .unit = "pixels",
    .max = limits::kMaxWindow - 1,
    .meaning =
        "[Border](#images) on both sides along each axis, or one number for all axes, smaller "
        "than the reach of the window, (kernel - 1) dilation + 1. Default: 0"};

inline constexpr Field kCeilModeField{
    .key = "ceil_mode",
    .meaning =
        "Whether to round the number of windows up: the last may extend beyond the padding. Not "
        "with padding `same`"};

template <AnExtent Extent>
struct WindowOf {
  Extent kernel;
  Extent stride;
  // Padded values are zeros. A maximum ignores them. An average counts them only with
  // count_padding.
  PaddingOf<Extent> padding = {};
  Extent dilation = ExtentOf<Extent>(1);  // distance between adjacent values of the window
  bool ceil_mode = false;                 // only for pooling
  bool operator==(const WindowOf&) const = default;

  // Adds mistakes. The reach must be at most limits::kMaxWindow. Padding must be less than the
  // reach, so that every window covers a value of the input, or spans one if it has gaps. ceil_mode
  // together with padding "same" is a mistake.
  void Check(Mistakes& mistakes) const;
  // Returns the distance from the first to the last value of the window, both included.
  Extent Reach() const;
  // Padding of an input along each axis, before the first value and after the last. With ceil_mode,
  // the padding at the end contains the end of the last window.
  struct Borders {
    Extent before, after;
  };
  Borders BordersOf(const InputType& input) const;
  // Returns the extent of the output. Adds a mistake and returns nullopt if the kernel does not
  // fit.
  std::optional<Extent> OutputExtent(const InputType& input, Mistakes& mistakes) const;
  // Returns the number of values under the kernel, at most kMaxParameters, which no layer with
  // weights may exceed.
  int64_t Taps() const;

  // Convolution and pooling visit `dilation` and `ceil_mode` themselves, because their layers do
  // not all have these keys.
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(kKernelField, self.kernel);
    visit(kStrideField, self.stride);
    visit(kPaddingField, self.padding);
  }
};
using Window = WindowOf<Extent2D>;
using Window3D = WindowOf<Extent3D>;

}  // namespace dl::nn
