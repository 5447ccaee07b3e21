// Gated recurrent units (Cho et al., EMNLP 2014, equations 5 to 8). The initial state is zero,
// unless the layer is stateful (nn/conf/layers/recurrent.h).
//
//   r = s(Wr x[t] + br + Rr h[t-1]),  z = s(Wz x[t] + bz + Rz h[t-1])
//   h[t] = (1 - z) n + z h[t-1]
//
// s is the logistic function. reset_after decides where the reset gate r is applied:
//
//   true    n = tanh(Wn x[t] + bn + r (Rn h[t-1] + c)), as in cuDNN, PyTorch and Keras.
//   false   n = tanh(Wn x[t] + bn + Rn (r h[t-1])), as in Cho et al.
//
// "weight" W [3 units, features], "recurrent_weight" R [3 units, units] and "bias" b [3 units] hold
// r, z and n in this order, which is PyTorch's. "recurrent_bias" c [units] exists only if
// reset_after is true. A bidirectional layer has a second set, whose names begin with "backward_"
// (nn/conf/layers/recurrent.h). The default is true: the function is then the same as in the common
// libraries, and a step needs one product with R instead of two dependent products.
//
// The mask m of recurrent_dropout is applied in every product with R: Rr (m h[t-1]), Rz (m h[t-1]),
// and Rn (m h[t-1]) or, if reset_after is false, Rn (r m h[t-1]). The term z h[t-1] is not masked.
#pragma once

#include "nn/conf/layers/recurrent.h"

namespace dl::nn {

struct LayerSample;

struct Gru : RecurrentLayer<Gru> {
  static constexpr std::string_view kTag = "gru";
  static constexpr std::string_view kNamePrefix = "gru";
  static constexpr InputNeed kNeeds = InputNeed::kSequence;
  static constexpr bool kTakesVariableLength = true;
  static constexpr int64_t kGates = 3;

  Gru() = default;
  explicit Gru(int64_t unit_count) : units(unit_count) {}
  Gru& ResetBefore() {
    reset_after = false;
    return *this;
  }

  int64_t units = 0;  // 1 to limits::kMaxExtent / 3, because W has 3 * units rows; required
  bool reset_after = true;

  bool operator==(const Gru&) const = default;
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
    visit(Field{.key = "reset_after",
                .meaning = "`true` = apply the reset gate after the product with the state, with "
                           "an additional bias, as in PyTorch and cuDNN. `false` = before it"},
          self.reset_after);
    RecurrentKeys::Fields(self, visit);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
