// Cross-entropy of the logistic function's p = 1 / (1 + exp(-z)), which belongs to the loss,
// against a probability for each output; the output layer computes logits:
//   L = -1/n sum_i (t_i log p_i + (1 - t_i) log(1 - p_i))
//     =  1/n sum_i (max(z_i, 0) - z_i t_i + log(1 + exp(-|z_i|)))
// The second form, which no z overflows, is what is computed (PyTorch: BCEWithLogitsLoss). With
// positive weights w_i, which make up for answers that are rarely yes,
//   L = -1/n sum_i (w_i t_i log p_i + (1 - t_i) log(1 - p_i))
// as PyTorch's pos_weight: weights a of no and b of yes are a times the loss with w = b / a.
#pragma once

#include <utility>

#include "nn/conf/losses/loss.h"

namespace dl::nn {

struct BinaryCrossEntropy {
  static constexpr std::string_view kTag = "binary_cross_entropy";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kNumbers, .min = 0, .max = 1};

  // A number for all outputs, or a number for each.
  BinaryCrossEntropy& PositiveWeights(std::vector<double> values) {
    positive_weights = std::move(values);
    return *this;
  }

  std::vector<double> positive_weights;

  bool operator==(const BinaryCrossEntropy&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(
        Field{.key = "positive_weights",
              .what = "a positive weight",
              .max = limits::kMaxCoefficient,
              .meaning = "What the answer yes counts, beside 1 of no: one number for all outputs, "
                         "or one for each; none = 1"},
        self.positive_weights);
  }
  void Check(const Output& output, Mistakes& mistakes) const;
  static std::vector<BinaryCrossEntropy> Samples() {
    return {BinaryCrossEntropy(), BinaryCrossEntropy().PositiveWeights({2.5})};
  }
};

}  // namespace dl::nn
