// Adam (Kingma, Ba, ICLR 2015, algorithm 1):
//   m = beta1 m + (1-beta1) g;  v = beta2 v + (1-beta2) g^2;
//   w -= lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
#pragma once

#include "nn/conf/updaters/updater_config.h"

namespace dl::nn {

struct Adam : MomentsUpdater<Adam> {
  static constexpr std::string_view kTag = "adam";

  using MomentsUpdater::MomentsUpdater;

  bool operator==(const Adam&) const = default;
  static std::vector<Adam> Samples() {
    return {Adam(0.1), Adam(CosineSchedule(1.0 / 3)).Beta1(0.7).Beta2(0.9).Epsilon(1e-3)};
  }
};

}  // namespace dl::nn
