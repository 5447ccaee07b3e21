#include "nn/conf/layers/prelu.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> PRelu::OutputType(const InputType& input, Mistakes&) const {
  return input;
}

std::vector<ParameterConf> PRelu::Parameters(const InputType& input, const WeightDefaults&) const {
  return {{.name = "slope",
           .shape = {shared ? 1 : input.channels},
           .initializer = {Initializer::Kind::kConstant, slope},
           .frozen = frozen}};
}

std::vector<LayerSample> PRelu::Samples() {
  return {
      {PRelu(), FeedForward(5)},
      {PRelu(), Image(3, 4, 5)},
      {PRelu().Slope(0.1), Sequence(3, 4)},
      {PRelu(), Volume(3, 2, 4, 3)},
      {PRelu().Shared(), Image(2, 3, 3)},
      {PRelu().Frozen(), FeedForward(4)},
  };
}

}  // namespace dl::nn
