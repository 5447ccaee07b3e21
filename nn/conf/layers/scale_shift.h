// y = factor * x + shift, with constants that are not trained (ScaleVertex and ShiftVertex of
// Deeplearning4j, Rescaling of Keras).
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct ScaleShift : NamedLayer<ScaleShift> {
  static constexpr std::string_view kTag = "scale_shift";
  static constexpr std::string_view kNamePrefix = "scale_shift";
  static constexpr InputNeed kNeeds = InputNeed::kAny;
  static constexpr bool kTakesVariableLength = true;

  ScaleShift() = default;
  ScaleShift& Factor(double value) {
    factor = value;
    return *this;
  }
  ScaleShift& Shift(double value) {
    shift = value;
    return *this;
  }

  // Both have magnitudes of at most limits::kMaxCoefficient.
  double factor = 1;
  double shift = 0;

  bool operator==(const ScaleShift&) const = default;
  std::optional<InputType> OutputType(const InputType& input, Mistakes&) const { return input; }
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "factor",
                .what = "the factor",
                .min = -limits::kMaxCoefficient,
                .max = limits::kMaxCoefficient,
                .meaning = "Factor of each value"},
          self.factor);
    visit(Field{.key = "shift",
                .what = "the shift",
                .min = -limits::kMaxCoefficient,
                .max = limits::kMaxCoefficient,
                .meaning = "Added to each value after the factor"},
          self.shift);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
