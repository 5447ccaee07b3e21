#include "nn/conf/layers/gru.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

void Gru::Check(Mistakes& mistakes) const { CheckUnits(units, kGates, mistakes); }

std::optional<InputType> Gru::OutputType(const InputType& input, Mistakes&) const {
  return OutputTypeOf(input, units);
}

std::vector<ParameterConf> Gru::Parameters(const InputType& input,
                                           const WeightDefaults& defaults) const {
  std::vector<ParameterConf> parameters;
  for (const std::string& prefix : Prefixes()) {
    for (ParameterConf& parameter :
         ParametersOf({.prefix = prefix, .units = units, .gates = kGates}, input, defaults))
      parameters.push_back(std::move(parameter));
    if (reset_after) parameters.push_back(Bias(prefix + "recurrent_bias", units, units, defaults));
  }
  return parameters;
}

std::vector<LayerSample> Gru::Samples() {
  return {
      {Gru(3), Sequence(4, 2)},
      {Gru(3).ResetBefore(), Sequence(4, 2)},
      {Gru(2).WeightInit(Normal(0.5)).Backward(), Sequence(3, 2)},
      {Gru(5).ResetBefore().L2(0.01).WeightDecay(0.1).LastState(), Sequence(2, 4)},
      {Gru(17).LastState(), Sequence(6, 3)},
      {Gru(18).ResetBefore(), Sequence(5, 3)},
      {Gru(2).L1(0.001).LearningRateFactor(0.5), Sequence(3, 2)},
      {Gru(3).Frozen(), Sequence(3, 2)},
      {Gru(2).WeightConstraint(MaxNorm(0.5)), Sequence(3, 2)},
      {Gru(3).Bidirectional(), Sequence(4, 2)},
      {Gru(2).ResetBefore().Bidirectional(StateMerge::kProduct), Sequence(3, 2)},
      {Gru(2).Bidirectional(StateMerge::kAverage).LastState(), Sequence(3, 3)},
      {Gru(3).Stateful(), Sequence(4, 2)},
      {Gru(2).ResetBefore().Stateful().LastState(), Sequence(1, 3)},
      {Gru(4).RecurrentDropout(0.4), Sequence(4, 2)},
      {Gru(5).ResetBefore().RecurrentDropout(0.3).Backward(), Sequence(4, 2)},
      {Gru(3).Stateful().RecurrentDropout(0.5), Sequence(3, 2)},
      {Gru(3).ResetBefore().Stateful().RecurrentDropout(0.5).LastState(), Sequence(2, 3)},
  };
}

}  // namespace dl::nn
