#include "nn/conf/layers/elementwise.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> OneShapeOf(std::string_view does, std::span<const InputType> inputs,
                                    Mistakes& mistakes) {
  for (const InputType& input : inputs) {
    if (input == inputs.front()) continue;
    mistakes.Add(absl::StrCat(std::string(does), " inputs of one shape, but they are ",
                              Describe(inputs.front()), " and ", Describe(input)),
                 "Bring them to one shape first, for instance by a convolution with a kernel of 1");
    return std::nullopt;
  }
  return inputs.front();
}

template <typename Self>
std::vector<LayerSample> ElementwiseLayer<Self>::Samples() {
  return {
      {Self().Inputs({"input", "input"}), FeedForward(5)},
      {Self().Inputs({"input", "input"}), Image(3, 4, 5)},
      {Self().Inputs({"input", "input"}), Sequence(3, 4)},
      {Self().Inputs({"input", "input"}), Volume(3, 2, 3, 2)},
      {Self().Inputs({"input", "input", "input"}), Image(2, 3, 3)},
  };
}

template struct ElementwiseLayer<Add>;
template struct ElementwiseLayer<Multiply>;
template struct ElementwiseLayer<Average>;
template struct ElementwiseLayer<Maximum>;

}  // namespace dl::nn
