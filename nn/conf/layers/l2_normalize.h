// Scales rows to an L2 norm of 1, as for FaceNet's embeddings (Schroff, Kalenichenko, Philbin, CVPR
// 2015, section 3):
//   y = x / sqrt(sum of x^2 + epsilon)
// A row is a flat input, or one step of a sequence, and the sum is over its features. A row of
// zeros stays zero.
//
// Other libraries use other formulas for short rows. PyTorch's normalize divides by max(norm,
// 1e-12), which has no derivative at 1e-12. Deeplearning4j's L2NormalizeVertex divides by norm +
// 1e-8. With the default epsilon, the results differ by less than the rounding of float for rows
// with a norm above 0.2.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct L2Normalize : NamedLayer<L2Normalize> {
  static constexpr std::string_view kTag = "l2_normalize";
  static constexpr std::string_view kNamePrefix = "l2";
  static constexpr InputNeed kNeeds = InputNeed::kRows;
  static constexpr bool kTakesVariableLength = true;

  L2Normalize& Epsilon(double value) {
    epsilon = value;
    return *this;
  }

  double epsilon = 1e-12;  // 1e-12 to 1

  bool operator==(const L2Normalize&) const = default;
  std::optional<InputType> OutputType(const InputType& input, Mistakes&) const { return input; }
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kVarianceEpsilonField, self.epsilon);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
