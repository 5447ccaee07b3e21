// AdaMax (Kingma, Ba, ICLR 2015, algorithm 2), with an epsilon in the denominator, so that a
// gradient that was always 0 changes nothing:
//   m = beta1 m + (1-beta1) g;  u = max(beta2 u, |g|);
//   w -= lr / (1 - beta1^t) m / (u + epsilon)
//
// u is a decaying maximum. A merge that averages state replaces u by the weighted mean of the u of
// all workers, from which each worker continues. The mean is not a maximum, but recent gradients
// still have the largest influence.
#pragma once

#include "nn/conf/updaters/updater_config.h"

namespace dl::nn {

struct AdaMax : MomentsUpdater<AdaMax> {
  static constexpr std::string_view kTag = "adamax";
  static constexpr std::array<std::string_view, 2> kStateNames = {"m", "u"};

  using MomentsUpdater::MomentsUpdater;

  bool operator==(const AdaMax&) const = default;
  static std::vector<AdaMax> Samples() {
    return {AdaMax(0.1), AdaMax(CosineSchedule(0.2).WarmUp(5)).Beta1(0.7).Beta2(0.9).Epsilon(1e-3)};
  }
};

}  // namespace dl::nn
