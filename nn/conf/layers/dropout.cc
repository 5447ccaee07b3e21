#include "nn/conf/layers/dropout.h"

#include "nn/conf/layers/registry.h"

namespace dl::nn {

std::optional<InputType> Dropout::OutputType(const InputType& input, Mistakes&) const {
  return input;
}

std::vector<LayerSample> Dropout::Samples() {
  return {
      {Dropout(0.5), FeedForward(16)},
      {Dropout(0.25), Image(2, 3, 3)},
      {Dropout(0), FeedForward(5)},
  };
}

uint32_t DropThreshold(double probability) { return static_cast<uint32_t>(probability * 0x1.0p32); }

}  // namespace dl::nn
