#include "nn/conf/layers/last_step.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> LastStep::OutputType(const InputType& input, Mistakes&) const {
  return FeedForward(input.channels);
}

std::vector<LayerSample> LastStep::Samples() {
  return {
      {LastStep(), Sequence(4, 3)},
      {LastStep(), Sequence(1, 5)},
  };
}

}  // namespace dl::nn
