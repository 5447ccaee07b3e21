#include "nn/conf/layers/concat.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> Concat::OutputType(std::span<const InputType> inputs,
                                            Mistakes& mistakes) const {
  InputType output = inputs.front();
  output.channels = 0;
  for (const InputType& input : inputs) {
    if (input.kind != output.kind || input.depth != output.depth || input.height != output.height ||
        input.width != output.width || input.variable_length != output.variable_length) {
      mistakes.Add(
          "joins images or volumes of one size, sequences of one length, sequences of "
          "variable length, or flat inputs, but its inputs are " +
              Describe(inputs.front()) + " and " + Describe(input),
          "Bring them to one form first, for instance by pooling, last_step or Flatten");
      return std::nullopt;
    }
    output.channels += input.channels;  // no overflow: at most kMaxExtent each
  }
  return output;
}

std::vector<LayerSample> Concat::Samples() {
  return {
      {Concat().Inputs({"input", "input"}), FeedForward(5)},
      {Concat().Inputs({"input", "input", "input"}), Image(3, 4, 5)},
      {Concat().Inputs({"input", "input"}), Sequence(3, 4)},
      {Concat().Inputs({"input", "input"}), Volume(3, 2, 3, 4)},
  };
}

}  // namespace dl::nn
