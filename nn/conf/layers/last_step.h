// Returns the last step of each example of a sequence as a flat vector, for example the final state
// of a recurrent layer.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct LastStep : NamedLayer<LastStep> {
  static constexpr std::string_view kTag = "last_step";
  static constexpr std::string_view kNamePrefix = "last";
  static constexpr InputNeed kNeeds = InputNeed::kSequence;
  static constexpr bool kTakesVariableLength = true;

  bool operator==(const LastStep&) const = default;
  // Returns the features of one step as a flat type. Adds no mistake.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
