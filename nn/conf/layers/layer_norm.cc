#include "nn/conf/layers/layer_norm.h"

#include "nn/conf/layers/gamma_and_beta.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> LayerNorm::OutputType(const InputType& input, Mistakes& mistakes) const {
  if (input.channels == 1) {
    mistakes.Add("normalizes over the features, but each row has only one, which would become 0",
                 "Put it after a layer with more units, or leave it out");
    return std::nullopt;
  }
  return input;
}

std::vector<ParameterConf> LayerNorm::Parameters(const InputType& input,
                                                 const WeightDefaults&) const {
  return GammaAndBeta(input.channels, frozen);
}

std::vector<LayerSample> LayerNorm::Samples() {
  return {
      {LayerNorm(), FeedForward(5)},
      {LayerNorm(), Sequence(4, 19)},
      {LayerNorm().Epsilon(1e-3), Sequence(2, 3)},
      {LayerNorm().Frozen(), FeedForward(4)},
  };
}

}  // namespace dl::nn
