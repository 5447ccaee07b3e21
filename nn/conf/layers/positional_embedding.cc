#include "nn/conf/layers/positional_embedding.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> PositionalEmbedding::OutputType(const InputType& input, Mistakes&) const {
  return input;
}

std::vector<ParameterConf> PositionalEmbedding::Parameters(const InputType& input,
                                                           const WeightDefaults& defaults) const {
  return {Weight("weight", {input.Steps(), input.channels},
                 {.in = input.channels, .out = input.Steps()}, defaults)};
}

std::vector<LayerSample> PositionalEmbedding::Samples() {
  return {
      {PositionalEmbedding(), Sequence(4, 3)},
      {PositionalEmbedding().WeightInit(Normal(0.3)).WeightDecay(0.1), Sequence(1, 17)},
      {PositionalEmbedding().L1(0.001).L2(0.01).LearningRateFactor(0.5), Sequence(3, 2)},
      {PositionalEmbedding().Frozen(), Sequence(2, 3)},
      {PositionalEmbedding().WeightConstraint(MaxNorm(0.6)), Sequence(3, 4)},
  };
}

}  // namespace dl::nn
