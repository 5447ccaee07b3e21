#include "nn/conf/layers/add.h"

#include "nn/conf/layers/registry.h"

namespace dl::nn {

std::optional<InputType> Add::OutputType(std::span<const InputType> inputs,
                                         Mistakes& mistakes) const {
  for (const InputType& input : inputs) {
    if (input == inputs.front()) continue;
    mistakes.Add("adds inputs of one shape, here come " + Describe(inputs.front()) + " and " +
                     Describe(input),
                 "Bring them to one shape first, for instance by a convolution with a kernel of 1");
    return std::nullopt;
  }
  return inputs.front();
}

std::vector<LayerSample> Add::Samples() {
  return {
      {Add().Inputs({"input", "input"}), FeedForward(5)},
      {Add().Inputs({"input", "input"}), Image(3, 4, 5)},
      {Add().Inputs({"input", "input"}), Sequence(3, 4)},
      {Add().Inputs({"input", "input", "input"}), Image(2, 3, 3)},
  };
}

}  // namespace dl::nn
