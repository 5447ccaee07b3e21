// Gated recurrent units (Cho et al., EMNLP 2014, equations 5 to 8), from a state of zeros:
//
//   r = s(Wr x[t] + br + Rr h[t-1]),  z = s(Wz x[t] + bz + Rz h[t-1])
//   h[t] = (1 - z) n + z h[t-1]
//
// with s the logistic function. What the reset gate r is applied to differs by reset_after:
//
//   true    n = tanh(Wn x[t] + bn + r (Rn h[t-1] + c)), as cuDNN, PyTorch and Keras compute it
//   false   n = tanh(Wn x[t] + bn + Rn (r h[t-1])), as Cho et al. wrote it
//
// "weight" W [3 units, features], "recurrent_weight" R [3 units, units] and "bias" b [3 units] hold
// r, z and n in this order, which is PyTorch's; "recurrent_bias" c [units] is there behind a reset
// alone. A bidirectional layer has all of them twice (nn/conf/layers/recurrent.h). By default the
// reset comes after: weights of the libraries that people come from mean the same here, and a step
// is one product instead of two, one of which waits for the other.
//
// Masks m of recurrent_dropout enter every product with R: Rr (m h[t-1]), Rz (m h[t-1]), and
// Rn (m h[t-1]) or, where the reset comes before, Rn (r m h[t-1]). z h[t-1] has none.
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

  int64_t units = 0;
  bool reset_after = true;

  bool operator==(const Gru&) const = default;
  void Check(Mistakes& mistakes) const;
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  std::vector<CarriedConf> Carried() const { return CarriedOf({"state"}, units); }
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kUnitsField, self.units);
    visit(Field{.key = "reset_after",
                .meaning = "Whether the reset gate comes behind the product with the state, as "
                           "PyTorch and cuDNN have it, which then has a bias of its own, or before "
                           "it"},
          self.reset_after);
    RecurrentKeys::Fields(self, visit);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
