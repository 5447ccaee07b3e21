// Converts an image or volume to a flat vector, in CHW or CDHW order, or a sequence, step by step.
// Inserted automatically if a layer that needs rows (InputNeed::kRows), such as dense, reads an
// image or volume.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct Flatten : NamedLayer<Flatten> {
  static constexpr std::string_view kTag = "flatten";
  static constexpr std::string_view kNamePrefix = "flatten";
  static constexpr InputNeed kNeeds = InputNeed::kAny;

  bool operator==(const Flatten&) const = default;
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
