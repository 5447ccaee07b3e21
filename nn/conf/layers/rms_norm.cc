#include "nn/conf/layers/rms_norm.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> RmsNorm::OutputType(const InputType& input, Mistakes& mistakes) const {
  if (input.channels == 1) {
    mistakes.Add(
        "normalizes over the features, but each row has only one, of which only the sign would "
        "remain",
        "Put it after a layer with more units, or leave it out");
    return std::nullopt;
  }
  return input;
}

std::vector<ParameterConf> RmsNorm::Parameters(const InputType& input,
                                               const WeightDefaults&) const {
  return {{.name = "gamma",
           .shape = {input.channels},
           .initializer = {Initializer::Kind::kConstant, 1},
           .frozen = frozen}};
}

std::vector<LayerSample> RmsNorm::Samples() {
  return {
      {RmsNorm(), FeedForward(5)},
      {RmsNorm(), Sequence(4, 19)},
      {RmsNorm().Epsilon(1e-3), Sequence(2, 3)},
      {RmsNorm().Frozen(), FeedForward(4)},
  };
}

}  // namespace dl::nn
