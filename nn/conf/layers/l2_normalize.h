// Scales rows to length 1: y = x / sqrt(sum of x^2 + epsilon), over the features of a flat input or
// of each step of a sequence, as for FaceNet's embeddings (Schroff, Kalenichenko, Philbin, CVPR
// 2015, section 3). A row of zeros stays zero. Other libraries limit the root from below
// (torch.nn.functional.normalize, 1e-12, which is not differentiable there) or add to it
// (Deeplearning4j's L2NormalizeVertex, 1e-8). For rows longer than 0.2 the results differ by less
// than the rounding of float.
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
