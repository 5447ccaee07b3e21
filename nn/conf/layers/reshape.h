// Changes the shape of each example. The values keep their row-major order (torch.reshape). The
// order is channels, rows, columns for images, channels, slices, rows, columns for volumes, and
// steps, features for sequences.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct Reshape : NamedLayer<Reshape> {
  static constexpr std::string_view kTag = "reshape";
  static constexpr std::string_view kNamePrefix = "reshape";
  static constexpr InputNeed kNeeds = InputNeed::kAny;

  Reshape() = default;
  explicit Reshape(const InputType& to) : shape(to.Shape()) {}

  // Shape of the output: {features}, {steps, features}, {channels, height, width} or {channels,
  // depth, height, width}. Required.
  std::vector<int64_t> shape;

  bool operator==(const Reshape&) const = default;
  // Adds mistakes if `shape` is empty or has more than four extents, and for extents that are not
  // from 1 to limits::kMaxExtent.
  void Check(Mistakes& mistakes) const;
  // Returns the type with this shape. Adds a mistake and returns nullopt if the input has another
  // number of values. REQUIRES: Check adds no mistake.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "shape",
                .what = "an extent of the shape",
                .min = 1,
                .max = limits::kMaxExtent,
                .presence = Field::Presence::kRequired,
                .meaning = "New shape: [features], [steps, features], [channels, height, width] or "
                           "[channels, depth, height, width]"},
          self.shape);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
