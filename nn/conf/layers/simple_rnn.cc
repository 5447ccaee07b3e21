#include "nn/conf/layers/simple_rnn.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

void SimpleRnn::Check(Mistakes& mistakes) const { CheckUnits(units, /*gates=*/1, mistakes); }

std::optional<InputType> SimpleRnn::OutputType(const InputType& input, Mistakes&) const {
  return OutputTypeOf(input, units);
}

std::vector<ParameterConf> SimpleRnn::Parameters(const InputType& input,
                                                 const WeightDefaults& defaults) const {
  std::vector<ParameterConf> parameters;
  for (const std::string& prefix : Prefixes()) {
    for (ParameterConf& parameter :
         ParametersOf({.prefix = prefix, .units = units}, input, defaults))
      parameters.push_back(std::move(parameter));
  }
  return parameters;
}

std::vector<LayerSample> SimpleRnn::Samples() {
  return {
      {SimpleRnn(3), Sequence(4, 2)},
      {SimpleRnn(2).Activation(Relu()).WeightInit(Normal(0.5)), Sequence(3, 2)},
      {SimpleRnn(3).Activation(Gelu()).L2(0.01).WeightDecay(0.1), Sequence(3, 4)},
      {SimpleRnn(4).Activation(Softmax()).Backward(), Sequence(4, 2)},
      {SimpleRnn(17).Activation(Sigmoid()).LastState(), Sequence(5, 3)},
      {SimpleRnn(2).L1(0.001).LearningRateFactor(0.5), Sequence(3, 2)},
      {SimpleRnn(3).Frozen(), Sequence(3, 2)},
      {SimpleRnn(3).WeightConstraint(MaxNorm(0.5)), Sequence(3, 2)},
      {SimpleRnn(3).Bidirectional(), Sequence(4, 2)},
      {SimpleRnn(3).Bidirectional(StateMerge::kAverage), Sequence(4, 2)},
      {SimpleRnn(2).Bidirectional(StateMerge::kProduct).LastState(), Sequence(3, 3)},
      {SimpleRnn(3).Stateful(), Sequence(4, 2)},
      {SimpleRnn(5).RecurrentDropout(0.4), Sequence(4, 2)},
      {SimpleRnn(3).RecurrentDropout(0.3).Bidirectional(StateMerge::kSum).LastState(),
       Sequence(4, 2)},
      {SimpleRnn(3).Activation(Relu()).Stateful().RecurrentDropout(0.5), Sequence(3, 2)},
  };
}

}  // namespace dl::nn
