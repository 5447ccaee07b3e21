#include "nn/conf/layers/stack.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> Stack::OutputType(std::span<const InputType> inputs,
                                           Mistakes& mistakes) const {
  for (const InputType& input : inputs) {
    if (input.kind != InputKind::kFeedForward || input.channels != inputs.front().channels) {
      mistakes.Add("makes steps of flat inputs of one width, but its inputs are " +
                       Describe(inputs.front()) + " and " + Describe(input),
                   "Bring them to one form first, for instance by Flatten and Dense; Concat joins "
                   "what differs");
      return std::nullopt;
    }
  }
  return Sequence(static_cast<int64_t>(inputs.size()), inputs.front().channels);
}

std::vector<LayerSample> Stack::Samples() {
  return {
      {Stack().Inputs({"input", "input"}), FeedForward(5)},
      {Stack().Inputs({"input", "input", "input"}), FeedForward(1)},
  };
}

}  // namespace dl::nn
