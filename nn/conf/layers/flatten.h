// Converts each example to one flat vector of all its values. The order is channels, rows, columns
// for images, channels, slices, rows, columns for volumes, and steps, features for sequences. A
// flat input does not change. Inserted automatically if a layer that needs rows (InputNeed::kRows),
// such as dense, reads an image or volume. Never inserted for a sequence.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct Flatten : NamedLayer<Flatten> {
  static constexpr std::string_view kTag = "flatten";
  static constexpr std::string_view kNamePrefix = "flatten";
  static constexpr InputNeed kNeeds = InputNeed::kAny;

  bool operator==(const Flatten&) const = default;
  // Returns a flat type with all values of the input. Adds no mistake.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
