// Enlarges an image by repeating each pixel (nearest neighbour):
//   y[c, i, j] = x[c, floor(i / scale_h), floor(j / scale_w)]
// Together with a convolution after it, the layer can replace a transposed convolution. It avoids
// the uneven overlaps of a transposed convolution (Odena, Dumoulin & Olah, "Deconvolution and
// checkerboard artifacts", Distill 2016).
#pragma once

#include "nn/conf/layers/window.h"

namespace dl::nn {

struct LayerSample;

struct Upsample2D : NamedLayer<Upsample2D> {
  static constexpr std::string_view kTag = "upsample2d";
  static constexpr std::string_view kNamePrefix = "upsample";
  static constexpr InputNeed kNeeds = InputNeed::kImage;

  Upsample2D() = default;
  explicit Upsample2D(int64_t size) : Upsample2D(size, size) {}
  Upsample2D(int64_t height, int64_t width) : scale{height, width} {}

  Extent2D scale = {.height = 2, .width = 2};  // 1 to limits::kMaxWindow each

  bool operator==(const Upsample2D&) const = default;
  // Returns the type of the enlarged image. Adds no mistake.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "scale",
                .what = "the scale's",
                .min = 1,
                .max = limits::kMaxWindow,
                .meaning = "Number of repetitions of each pixel, vertically and horizontally, or "
                           "one number for both"},
          self.scale);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
