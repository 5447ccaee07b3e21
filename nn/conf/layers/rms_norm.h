// Root mean square normalization (Zhang, Sennrich, NeurIPS 2019, equation 4):
//   y = gamma x / sqrt(m + epsilon)
// x is a row: the features of a flat input, or of one step of a sequence. m is the mean of their
// squares. Epsilon is added as in the authors' TensorFlow code.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct RmsNorm : LayerWithScales<RmsNorm> {
  static constexpr std::string_view kTag = "rms_norm";
  static constexpr std::string_view kNamePrefix = "rms";
  static constexpr InputNeed kNeeds = InputNeed::kRows;
  static constexpr bool kTakesVariableLength = true;

  RmsNorm& Epsilon(double value) {
    epsilon = value;
    return *this;
  }

  double epsilon = 1e-5;  // 1e-12 to 1

  bool operator==(const RmsNorm&) const = default;
  // Returns `input`. Adds a mistake and returns nullopt if a row has a single feature, because only
  // the sign of that feature would remain.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  // Returns gamma [features], which begins at 1.
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kVarianceEpsilonField, self.epsilon);
    visit(kFrozenField, self.frozen);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
