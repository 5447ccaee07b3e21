// Nadam (Dozat, "Incorporating Nesterov momentum into Adam", ICLR workshop 2016, algorithm 2) with
// a constant momentum, so that the factors of a step depend on t alone:
//   m = beta1 m + (1-beta1) g;  v = beta2 v + (1-beta2) g^2;
//   w -= lr (beta1 m / (1 - beta1^(t+1)) + (1-beta1) g / (1 - beta1^t))
//        / (sqrt(v / (1 - beta2^t)) + epsilon)
#pragma once

#include "nn/conf/updaters/updater_config.h"

namespace dl::nn {

struct Nadam : MomentsUpdater<Nadam> {
  static constexpr std::string_view kTag = "nadam";

  using MomentsUpdater::MomentsUpdater;

  bool operator==(const Nadam&) const = default;
  static std::vector<Nadam> Samples() {
    return {Nadam(0.1),
            Nadam(TableSchedule(0.2, {3, 9}, {0.1, 0.05})).Beta1(0.7).Beta2(0.9).Epsilon(1e-3)};
  }
};

}  // namespace dl::nn
