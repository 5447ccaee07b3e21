// Rows of length 1: y = x / sqrt(sum of x^2 + epsilon) over the features of a flat input or of each
// step of a sequence, as FaceNet's embeddings (Schroff, Kalenichenko, Philbin, CVPR 2015, section
// 3). A row of zeros stays one. Others bound the root instead (torch.nn.functional.normalize by
// 1e-12, which has a kink there) or add to it (Deeplearning4j's L2NormalizeVertex, 1e-8): of rows
// that are longer than 1e-5 that is the same in float.
#pragma once

#include "nn/conf/layers/layer.h"

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

  double epsilon = 1e-12;

  bool operator==(const L2Normalize&) const = default;
  std::optional<InputType> OutputType(const InputType& input, Mistakes&) const { return input; }
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kVarianceEpsilonField, self.epsilon);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn
