#include "nn/conf/layers/subset.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

void Subset::Check(Mistakes& mistakes) const {
  if (from <= to) return;
  mistakes.Add(absl::StrCat("takes the range from ", from, " to ", to, ", which is empty"),
               "Set from to at most to; both are in the range");
}

std::optional<InputType> Subset::OutputType(const InputType& input, Mistakes& mistakes) const {
  if (to >= input.channels) {
    mistakes.Add(
        absl::StrCat("takes the range from ", from, " to ", to, " of ", Describe(input)),
        absl::StrCat("Let to be at most ", input.channels - 1, ", because indices count from 0"));
    return std::nullopt;
  }
  InputType output = input;
  output.channels = to - from + 1;
  return output;
}

std::vector<LayerSample> Subset::Samples() {
  return {
      {Subset(1, 3), FeedForward(6)}, {Subset(0, 0), Image(3, 4, 2)},
      {Subset(2, 4), Image(5, 3, 2)}, {Subset(1, 3), Sequence(3, 4)},
      {Subset(0, 4), FeedForward(5)}, {Subset(1, 2), Volume(4, 2, 3, 2)},
  };
}

}  // namespace dl::nn
