// Kullback-Leibler divergence of softmax(z) from a distribution t over the outputs:
//   L = sum_k t_k (log t_k - log softmax(z)_k),   0 log 0 = 0
// The softmax belongs to the loss; the output layer computes logits z (PyTorch: KLDivLoss of
// log_softmax, "batchmean"). The t of an example should sum to 1. The gradient is
//   sum(t) softmax(z) - t
#pragma once

#include "nn/conf/losses/loss_config.h"

namespace dl::nn {

struct KlDivergence : PlainLoss {
  static constexpr std::string_view kTag = "kl_divergence";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kNumbers, .min = 0, .max = 1};

  bool operator==(const KlDivergence&) const = default;
  // Adds a mistake if the layer has an activation or a single output.
  void Check(const Output& output, Mistakes& mistakes) const;
  static std::vector<KlDivergence> Samples() { return {KlDivergence()}; }
};

}  // namespace dl::nn
