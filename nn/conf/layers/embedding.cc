#include "nn/conf/layers/embedding.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> Embedding::OutputType(const InputType& input, Mistakes& mistakes) const {
  if (input.channels != 1) {
    mistakes.Add("takes one index, or one index per step, but its input is " + Describe(input),
                 "Declare the model's input as a sequence of 1 feature, or as 1 feature");
    return std::nullopt;
  }
  return input.WithRowsOf(units);
}

std::vector<ParameterConf> Embedding::Parameters(const InputType&,
                                                 const WeightDefaults& defaults) const {
  // The fans are those of a layer that reads the row.
  return {Weight("weight", {indices, units}, {.in = units, .out = indices}, defaults)};
}

std::vector<LayerSample> Embedding::Samples() {
  return {
      {Embedding(5, 3), Sequence(4, 1)},
      {Embedding(7, 2).WeightInit(Normal(0.5)).L2(0.01), FeedForward(1)},
      {Embedding(4, 2).L1(0.001).WeightDecay(0.1).LearningRateFactor(0.5), Sequence(3, 1)},
      {Embedding(4, 3).Frozen(), Sequence(3, 1)},
      {Embedding(5, 4).WeightConstraint(UnitNorm()), Sequence(3, 1)},
  };
}

}  // namespace dl::nn
