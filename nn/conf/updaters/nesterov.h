// v = momentum v + g;  w -= lr (g + momentum v): Nesterov momentum in the form of PyTorch's SGD.
//
// v is a decaying sum of gradients. A merge that averages state replaces v by the mean of the
// workers' sums.
#pragma once

#include "nn/conf/updaters/updater_config.h"

namespace dl::nn {

struct Nesterov : MomentumUpdater<Nesterov> {
  static constexpr std::string_view kTag = "nesterov";

  using MomentumUpdater::MomentumUpdater;

  bool operator==(const Nesterov&) const = default;
  static std::vector<Nesterov> Samples() {
    return {Nesterov(0.1), Nesterov(CosineSchedule(0.05, 0.001, 99)).Momentum(0.8)};
  }
};

}  // namespace dl::nn
