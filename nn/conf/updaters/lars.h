// LARS (You, Gitman, Ginsburg, "Large batch training of convolutional networks", arXiv:1708.03888,
// algorithm 1): momentum with a rate for each tensor, which depends on the norms of the whole
// tensor:
//   ratio = trust |w| / (|g| + l2 |w|);  v = momentum v + lr ratio (g + l2 w);  w -= v
// g is the gradient before L2. ratio is 1 if |w| or |g| is 0, and for tensors of one dimension
// (biases, gamma, beta), whose norms do not reflect the scale of a layer.
//
// v is a decaying sum of steps. A merge that averages state replaces it by the mean of the workers'
// sums.
#pragma once

#include "nn/conf/updaters/updater_config.h"

namespace dl::nn {

struct Lars : MomentumUpdater<Lars> {
  static constexpr std::string_view kTag = "lars";

  using MomentumUpdater::MomentumUpdater;
  Lars& Trust(double value) {
    trust = value;
    return *this;
  }

  double trust = 0.001;  // 0 to limits::kMaxCoefficient

  bool operator==(const Lars&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    MomentumUpdater::Fields(self, visit);
    visit(Field{.key = "trust",
                .what = "LARS's trust coefficient",
                .max = limits::kMaxCoefficient,
                .meaning = "Local learning rate as a fraction of norm(w) / (norm(g) + l2 norm(w))"},
          self.trust);
  }
  static std::vector<Lars> Samples() {
    return {Lars(0.5).Trust(0.25), Lars(0.3).Momentum(0.8).Trust(0.5)};
  }
};

}  // namespace dl::nn
