// Layer normalization (Ba, Kiros, Hinton, arXiv:1607.06450, equations 3 and 4):
//   y = gamma (x - m) / sqrt(v + epsilon) + beta
// x is a row: the features of a flat input, or of one step of a sequence. m and v are the mean and
// the biased variance of the row.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct LayerNorm : LayerWithScales<LayerNorm> {
  static constexpr std::string_view kTag = "layer_norm";
  static constexpr std::string_view kNamePrefix = "ln";
  static constexpr InputNeed kNeeds = InputNeed::kRows;
  static constexpr bool kTakesVariableLength = true;

  LayerNorm& Epsilon(double value) {
    epsilon = value;
    return *this;
  }

  double epsilon = 1e-5;  // 1e-12 to 1

  bool operator==(const LayerNorm&) const = default;
  // Returns `input`. Adds a mistake and returns nullopt if a row has a single feature, because its
  // normalized value would always be 0.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  // Returns gamma, which begins at 1, and beta, which begins at 0. Both are [features].
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
