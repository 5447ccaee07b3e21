// Makes a sequence of two or more flat inputs of the same size. Each input becomes a step, in the
// order of NamedLayer::inputs (as torch.stack does along a new axis). Attention or a recurrent
// layer can read the result.
#pragma once

#include <span>

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct Stack : NamedLayer<Stack> {
  static constexpr std::string_view kTag = "stack";
  static constexpr std::string_view kNamePrefix = "stack";
  static constexpr InputNeed kNeeds = InputNeed::kAny;
  static constexpr int64_t kMaxInputs = kMaxLayerInputs;

  bool operator==(const Stack&) const = default;
  // Returns a sequence with one step for each input. Adds a mistake and returns nullopt if an input
  // is not flat, or if the sizes of inputs differ.
  std::optional<InputType> OutputType(std::span<const InputType> inputs, Mistakes& mistakes) const;
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
