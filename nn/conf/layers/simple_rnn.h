// A simple recurrent network (Elman, Cognitive Science 14, 1990). The initial state is zero,
// unless the layer is stateful (nn/conf/layers/recurrent.h).
//
//   h[t] = f(W x[t] + b + R h[t-1])
//
// f is the activation. The parameters are "weight" W [units, features], "recurrent_weight" R
// [units, units] and "bias" b [units]. A bidirectional layer has a second set, whose names begin
// with "backward_" (nn/conf/layers/recurrent.h).
#pragma once

#include "nn/conf/layers/recurrent.h"

namespace dl::nn {

struct LayerSample;

struct SimpleRnn : RecurrentLayer<SimpleRnn> {
  static constexpr std::string_view kTag = "simple_rnn";
  static constexpr std::string_view kNamePrefix = "rnn";
  static constexpr InputNeed kNeeds = InputNeed::kSequence;
  static constexpr bool kTakesVariableLength = true;

  SimpleRnn() = default;
  explicit SimpleRnn(int64_t unit_count) : units(unit_count) {}
  SimpleRnn& Activation(ActivationConf value) {
    activation = value;
    return *this;
  }

  // 1 to limits::kMaxExtent / 2, because both directions may be concatenated; required.
  int64_t units = 0;
  ActivationConf activation = Tanh();

  bool operator==(const SimpleRnn&) const = default;
  // Adds a mistake for too many units, for `merge` in a layer of one direction, and for `stateful`
  // in a layer whose direction is not forward (RecurrentKeys::CheckUnits).
  void Check(Mistakes& mistakes) const;
  // Returns the type of the states of all steps, or of the final state. The features are `units`,
  // or twice as many in a bidirectional layer with `merge` concat. Adds no mistake.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  // Returns the state h if the layer is stateful; otherwise nothing.
  std::vector<CarriedConf> Carried() const { return CarriedOf({"state"}, units); }
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kUnitsField, self.units);
    visit(kActivationField, self.activation);
    RecurrentKeys::Fields(self, visit);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
