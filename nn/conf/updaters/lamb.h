// LAMB (You et al., "Large batch optimization for deep learning: training BERT in 76 minutes", ICLR
// 2020, algorithm 2, with phi the identity). The sum r of Adam's step and the weight decay is
// scaled to the norm of the weights:
//   m = beta1 m + (1-beta1) g;  v = beta2 v + (1-beta2) g^2;
//   r = (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon) + weight_decay w;
//   w -= lr |w| / |r| r
// |w| and |r| are norms of the whole tensor. The ratio |w| / |r| is 1 if either norm is 0, and for
// tensors of one dimension (biases, gamma, beta). weight_decay is the decay of the model or layer.
// It is part of r, and no other decay is applied.
#pragma once

#include "nn/conf/updaters/updater_config.h"

namespace dl::nn {

struct Lamb : MomentsUpdater<Lamb> {
  static constexpr std::string_view kTag = "lamb";

  Lamb() { epsilon = 1e-6; }
  explicit Lamb(Schedule rate) : MomentsUpdater(std::move(rate)) { epsilon = 1e-6; }

  bool operator==(const Lamb&) const = default;
  static std::vector<Lamb> Samples() {
    return {Lamb(0.1), Lamb(0.2).Beta1(0.7).Beta2(0.9).Epsilon(1e-3)};
  }
};

}  // namespace dl::nn
