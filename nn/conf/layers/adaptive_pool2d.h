// Pooling of images of any size to a stated size. Row i of the output is computed from the input's
// rows floor(i h / output_h) to ceil((i + 1) h / output_h) - 1, and columns likewise. The sizes of
// windows differ by at most one, and windows may overlap. Equals torch.nn.AdaptiveAvgPool2d and
// AdaptiveMaxPool2d; a size of 1 x 1 is global pooling. For equal maxima, the gradient goes to the
// first in row-major order.
#pragma once

#include "nn/conf/layers/window.h"

namespace dl::nn {

struct LayerSample;

template <typename Derived>
struct AdaptivePool2D : NamedLayer<Derived> {
  static constexpr InputNeed kNeeds = InputNeed::kImage;

  AdaptivePool2D() = default;
  explicit AdaptivePool2D(int64_t size) : AdaptivePool2D(size, size) {}
  AdaptivePool2D(int64_t height, int64_t width) : output_size{height, width} {}

  // Pixels, 1 to limits::kMaxWindow each; required.
  Extent2D output_size = {.height = 1, .width = 1};

  bool operator==(const AdaptivePool2D&) const = default;
  std::optional<InputType> OutputType(const InputType& input, Mistakes&) const {
    return Image(input.channels, output_size.height, output_size.width);
  }
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "output_size",
                .what = "the output's",
                .unit = "pixels",
                .min = 1,
                .max = limits::kMaxWindow,
                .presence = Field::Presence::kRequired,
                .meaning = "Height and width of the output, or one number for both"},
          self.output_size);
  }
};

struct AdaptiveAvgPool2D : AdaptivePool2D<AdaptiveAvgPool2D> {
  static constexpr std::string_view kTag = "adaptive_avg_pool2d";
  static constexpr std::string_view kNamePrefix = "adaptive_pool";
  using AdaptivePool2D::AdaptivePool2D;
  bool operator==(const AdaptiveAvgPool2D&) const = default;
  static std::vector<LayerSample> Samples();
};

struct AdaptiveMaxPool2D : AdaptivePool2D<AdaptiveMaxPool2D> {
  static constexpr std::string_view kTag = "adaptive_max_pool2d";
  static constexpr std::string_view kNamePrefix = "adaptive_pool";
  using AdaptivePool2D::AdaptivePool2D;
  bool operator==(const AdaptiveMaxPool2D&) const = default;
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
