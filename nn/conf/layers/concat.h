// Joins its inputs in the order in which they are named: the features of flat inputs, the channels
// of images or volumes of one size, or the features of sequences of one length (fixed or variable).
#pragma once

#include <span>

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct Concat : NamedLayer<Concat> {
  static constexpr std::string_view kTag = "concat";
  static constexpr std::string_view kNamePrefix = "concat";
  static constexpr InputNeed kNeeds = InputNeed::kAny;
  static constexpr bool kTakesVariableLength = true;
  static constexpr int64_t kMaxInputs = kMaxLayerInputs;

  bool operator==(const Concat&) const = default;
  // Returns the type of the inputs, with the sum of their channels or features. Adds a mistake and
  // returns nullopt if the inputs differ in more than this number.
  std::optional<InputType> OutputType(std::span<const InputType> inputs, Mistakes& mistakes) const;
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
