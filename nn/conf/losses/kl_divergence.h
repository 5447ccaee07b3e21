// Kullback-Leibler divergence of softmax(z), which belongs to the loss, from a distribution over
// the outputs; the output layer computes logits:
//   L = sum_k t_k (log t_k - log softmax(z)_k),   0 log 0 = 0
// (PyTorch: KLDivLoss of log_softmax, by "batchmean"). The t of an example should sum to 1; what
// they sum to is what the softmax counts in the gradient, sum(t) softmax(z) - t.
#pragma once

#include "nn/conf/losses/loss.h"

namespace dl::nn {

struct KlDivergence : PlainLoss {
  static constexpr std::string_view kTag = "kl_divergence";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kNumbers, .min = 0, .max = 1};

  bool operator==(const KlDivergence&) const = default;
  void Check(const Output& output, Mistakes& mistakes) const;
  static std::vector<KlDivergence> Samples() { return {KlDivergence()}; }
};

}  // namespace dl::nn
