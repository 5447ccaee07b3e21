// Cross-entropy of p = 1 / (1 + exp(-z)) against a probability t for each output. The logistic
// function belongs to the loss; the output layer computes logits z:
//   L = -1/n sum_i (t_i log p_i + (1 - t_i) log(1 - p_i))
//     =  1/n sum_i (max(z_i, 0) - z_i t_i + log(1 + exp(-|z_i|)))
// The second form is computed, because no z overflows it (PyTorch: BCEWithLogitsLoss). Positive
// weights w_i compensate for rare positive answers, like PyTorch's pos_weight:
//   L = -1/n sum_i (w_i t_i log p_i + (1 - t_i) log(1 - p_i))
// Weights a for negative and b for positive answers are a times the loss with w = b / a.
#pragma once

#include <utility>

#include "nn/conf/losses/loss_config.h"

namespace dl::nn {

struct BinaryCrossEntropy {
  static constexpr std::string_view kTag = "binary_cross_entropy";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kNumbers, .min = 0, .max = 1};

  // Accepts one number for all outputs, or a number for each.
  BinaryCrossEntropy& PositiveWeights(std::vector<double> values) {
    positive_weights = std::move(values);
    return *this;
  }

  std::vector<double> positive_weights;  // 0 to limits::kMaxCoefficient; empty = 1

  bool operator==(const BinaryCrossEntropy&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(Field{.key = "positive_weights",
                .what = "a positive weight",
                .max = limits::kMaxCoefficient,
                .meaning = "Weight of the label yes, where no has weight 1: one number for all "
                           "outputs, or one per output; empty = 1"},
          self.positive_weights);
  }
  // Adds a mistake if the layer has an activation, or if there are several positive weights but not
  // one for each output.
  void Check(const Output& output, Mistakes& mistakes) const;
  static std::vector<BinaryCrossEntropy> Samples() {
    return {BinaryCrossEntropy(), BinaryCrossEntropy().PositiveWeights({2.5})};
  }
};

}  // namespace dl::nn
