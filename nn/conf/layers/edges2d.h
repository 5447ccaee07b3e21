// Adds zeros at the edges of an image, or removes values there.
//   zero_pad2d  y[c, i, j] = x[c, i - top, j - left], 0 outside.
//   crop2d      y[c, i, j] = x[c, i + top, j + left].
// The gradient of each operation is the other operation.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct Edges {
  // Pixels at each edge, 0 to limits::kMaxWindow - 1. Default 0.
  int64_t top = 0, bottom = 0, left = 0, right = 0;
  bool operator==(const Edges&) const = default;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    const auto edge = [&](std::string_view key, std::string_view what, std::string_view meaning,
                          auto& value) {
      visit(Field{.key = key,
                  .what = what,
                  .unit = "pixels",
                  .max = limits::kMaxWindow - 1,
                  .meaning = meaning},
            value);
    };
    edge("top", "the number of rows at the top",
         "Number of rows at the top: zeros to add (zero_pad2d), or rows to remove (crop2d)",
         self.top);
    edge("bottom", "the number of rows at the bottom",
         "Number of rows at the bottom: zeros to add (zero_pad2d), or rows to remove (crop2d)",
         self.bottom);
    edge("left", "the number of columns on the left",
         "Number of columns on the left: zeros to add (zero_pad2d), or columns to remove (crop2d)",
         self.left);
    edge("right", "the number of columns on the right",
         "Number of columns on the right: zeros to add (zero_pad2d), or columns to remove (crop2d)",
         self.right);
  }
};

template <typename Self>
struct EdgeLayer : NamedLayer<Self> {
  static constexpr InputNeed kNeeds = InputNeed::kImage;

  EdgeLayer() = default;
  explicit EdgeLayer(const Edges& all) : edges(all) {}
  // Uses the same number at all four edges.
  explicit EdgeLayer(int64_t size) : edges{size, size, size, size} {}

  Edges edges;

  bool operator==(const EdgeLayer&) const = default;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    Edges::Fields(self.edges, visit);
  }
};

struct ZeroPad2D : EdgeLayer<ZeroPad2D> {
  static constexpr std::string_view kTag = "zero_pad2d";
  static constexpr std::string_view kNamePrefix = "zero_pad";
  using EdgeLayer::EdgeLayer;
  bool operator==(const ZeroPad2D&) const = default;
  // Returns the type of the enlarged image. Adds no mistake.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  static std::vector<LayerSample> Samples();
};

struct Crop2D : EdgeLayer<Crop2D> {
  static constexpr std::string_view kTag = "crop2d";
  static constexpr std::string_view kNamePrefix = "crop";
  using EdgeLayer::EdgeLayer;
  bool operator==(const Crop2D&) const = default;
  // Returns the type of the smaller image. Adds a mistake and returns nullopt if no row or no
  // column remains.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
