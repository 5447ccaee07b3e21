// Long short-term memory (Hochreiter, Schmidhuber, Neural Computation 9, 1997) with the forget gate
// of Gers, Schmidhuber, Cummins, Neural Computation 12, 2000, without peepholes, over the steps of
// a sequence. The initial state is zero, unless the layer is stateful
// (nn/conf/layers/recurrent.h).
//
//   (i, f, g, o) = W x[t] + b + R h[t-1]
//   c[t] = s(f + forget_bias) c[t-1] + s(i) tanh(g),  h[t] = s(o) tanh(c[t])
//
// s is the logistic function. "weight" W [4 units, features], "recurrent_weight" R [4 units, units]
// and "bias" b [4 units] hold the gates in this order, which is PyTorch's. A bidirectional layer
// has all of them twice (nn/conf/layers/recurrent.h). forget_bias (Jozefowicz, Zaremba, Sutskever,
// ICML 2015, section 2.2) is a constant in addition to the trained bias.
#pragma once

#include "nn/conf/layers/recurrent.h"

namespace dl::nn {

struct LayerSample;

struct Lstm : RecurrentLayer<Lstm> {
  static constexpr std::string_view kTag = "lstm";
  static constexpr std::string_view kNamePrefix = "lstm";
  static constexpr InputNeed kNeeds = InputNeed::kSequence;
  static constexpr bool kTakesVariableLength = true;
  static constexpr int64_t kGates = 4;

  Lstm() = default;
  explicit Lstm(int64_t unit_count) : units(unit_count) {}
  Lstm& ForgetBias(double value) {
    forget_bias = value;
    return *this;
  }

  int64_t units = 0;       // 1 to limits::kMaxExtent / 4; required
  double forget_bias = 1;  // -100 to 100

  bool operator==(const Lstm&) const = default;
  // Adds a mistake for too many units, for `merge` in a layer of one direction, and for `stateful`
  // in a layer whose direction is not forward (RecurrentKeys::CheckUnits).
  void Check(Mistakes& mistakes) const;
  // Returns the type of the states of all steps, or of the final state. The features are `units`,
  // or twice as many in a bidirectional layer with `merge` concat. Adds no mistake.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  // Returns the state h and the cell if the layer is stateful; otherwise nothing.
  std::vector<CarriedConf> Carried() const { return CarriedOf({"state", "cell"}, units); }
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kUnitsField, self.units);
    visit(Field{.key = "forget_bias",
                .what = "the forget gate's bias",
                .min = -100,
                .max = 100,
                .meaning =
                    "Added to the forget gate's input, so that cells initially keep their content"},
          self.forget_bias);
    RecurrentKeys::Fields(self, visit);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
