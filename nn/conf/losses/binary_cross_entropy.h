// Cross-entropy of the logistic function's p = 1 / (1 + exp(-z)), which belongs to the loss,
// against a probability for each output; the output layer computes logits:
//   L = -1/n sum_i (t_i log p_i + (1 - t_i) log(1 - p_i))
//     =  1/n sum_i (max(z_i, 0) - z_i t_i + log(1 + exp(-|z_i|)))
// The second form, which no z overflows, is what is computed (PyTorch: BCEWithLogitsLoss).
#pragma once

#include "nn/conf/losses/loss.h"

namespace dl::nn {

struct BinaryCrossEntropy : PlainLoss {
  static constexpr std::string_view kTag = "binary_cross_entropy";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kNumbers, .min = 0, .max = 1};

  bool operator==(const BinaryCrossEntropy&) const = default;
  void Check(const Output& output, Mistakes& mistakes) const {
    RequireNoActivation(output, "the logistic function", kTag, mistakes);
  }
  static std::vector<BinaryCrossEntropy> Samples() { return {BinaryCrossEntropy()}; }
};

}  // namespace dl::nn
