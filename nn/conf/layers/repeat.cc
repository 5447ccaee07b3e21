#include "nn/conf/layers/repeat.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> Repeat::OutputType(const InputType& input, Mistakes& mistakes) const {
  if (input.IsSequence()) {
    mistakes.Add(absl::StrCat("makes a sequence of one row, but its input is ", Describe(input)),
                 "Put it after a last_step or flatten layer");
    return std::nullopt;
  }
  return Sequence(steps, input.channels);
}

std::vector<LayerSample> Repeat::Samples() {
  return {
      {Repeat(4), FeedForward(3)},
      {Repeat(1), FeedForward(5)},
      {Repeat(3), FeedForward(18)},
  };
}

}  // namespace dl::nn
