#include "nn/conf/layers/flatten.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> Flatten::OutputType(const InputType& input, Mistakes&) const {
  return FeedForward(input.Elements());
}

std::vector<LayerSample> Flatten::Samples() {
  return {
      {Flatten(), Image(2, 3, 4)},
      {Flatten(), FeedForward(5)},
      {Flatten(), Sequence(4, 3)},
      {Flatten(), Volume(2, 3, 2, 4)},
  };
}

}  // namespace dl::nn
