#include "nn/conf/layers/lstm.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

void Lstm::Check(Mistakes& mistakes) const { CheckUnits(units, kGates, mistakes); }

std::optional<InputType> Lstm::OutputType(const InputType& input, Mistakes&) const {
  return OutputTypeOf(input, units);
}

std::vector<ParameterConf> Lstm::Parameters(const InputType& input,
                                            const WeightDefaults& defaults) const {
  std::vector<ParameterConf> parameters;
  for (const std::string& prefix : Prefixes()) {
    for (ParameterConf& parameter :
         ParametersOf({.prefix = prefix, .units = units, .gates = kGates}, input, defaults))
      parameters.push_back(std::move(parameter));
  }
  return parameters;
}

std::vector<LayerSample> Lstm::Samples() {
  return {
      {Lstm(3), Sequence(4, 2)},
      {Lstm(2).ForgetBias(0).WeightInit(Normal(0.5)), Sequence(3, 2)},
      {Lstm(5).L2(0.01).WeightDecay(0.1), Sequence(2, 4)},
      {Lstm(17), Sequence(6, 3)},
      {Lstm(2).L1(0.001).LearningRateFactor(0.5), Sequence(3, 2)},
      {Lstm(3).Frozen(), Sequence(3, 2)},
      {Lstm(2).WeightConstraint(UnitNorm()).Bidirectional(), Sequence(3, 2)},
      {Lstm(3).Backward(), Sequence(4, 2)},
      {Lstm(2).LastState(), Sequence(3, 2)},
      {Lstm(3).Bidirectional(), Sequence(4, 2)},
      {Lstm(2).Bidirectional(StateMerge::kSum).LastState(), Sequence(3, 3)},
      {Lstm(3).Stateful(), Sequence(4, 2)},
      {Lstm(2).Stateful().LastState(), Sequence(1, 3)},
      {Lstm(4).RecurrentDropout(0.4), Sequence(4, 2)},
      {Lstm(3).RecurrentDropout(0.25).Bidirectional(), Sequence(4, 2)},
      {Lstm(3).Stateful().RecurrentDropout(0.5), Sequence(3, 2)},
  };
}

}  // namespace dl::nn
