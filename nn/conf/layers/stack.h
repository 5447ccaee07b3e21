// Several flat inputs of one width as the steps of a sequence, in the order in which they are named
// (torch.stack along a new axis): what attention or a recurrent layer then reads one by one.
#pragma once

#include <span>

#include "nn/conf/layers/layer.h"

namespace dl::nn {

struct LayerSample;

struct Stack : NamedLayer<Stack> {
  static constexpr std::string_view kTag = "stack";
  static constexpr std::string_view kNamePrefix = "stack";
  static constexpr InputNeed kNeeds = InputNeed::kAny;
  static constexpr int64_t kMaxInputs = kMaxLayerInputs;

  bool operator==(const Stack&) const = default;
  std::optional<InputType> OutputType(std::span<const InputType> inputs, Mistakes& mistakes) const;
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
