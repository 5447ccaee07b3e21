// A rectifier with a trained slope a (He, Zhang, Ren, Sun, ICCV 2015, equation 1):
//   y = x if x > 0, else a * x
// "slope" holds one a per channel of an image or volume, per feature of a flat vector or sequence,
// or one a for all. As in the paper, a begins at 0.25 by default. It has no L1, L2 or weight decay,
// which would pull it towards a plain rectifier.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct PRelu : LayerWithScales<PRelu> {
  static constexpr std::string_view kTag = "prelu";
  static constexpr std::string_view kNamePrefix = "prelu";
  static constexpr InputNeed kNeeds = InputNeed::kAny;
  static constexpr bool kTakesVariableLength = true;

  PRelu& Slope(double value) {
    slope = value;
    return *this;
  }
  PRelu& Shared() {
    shared = true;
    return *this;
  }

  double slope = 0.25;  // initial value, -100 to 100
  bool shared = false;  // one slope for all channels or features

  bool operator==(const PRelu&) const = default;
  // Returns `input`. Adds no mistake.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  // "slope" [channels], or [1] if shared.
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "slope",
                .what = "the slope",
                .min = -100,
                .max = 100,
                .meaning = "Initial value of the learned slopes for negative inputs"},
          self.slope);
    visit(Field{.key = "shared", .meaning = "Whether all channels or features share one slope"},
          self.shared);
    visit(kFrozenField, self.frozen);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
