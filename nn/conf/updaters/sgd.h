// Stochastic gradient descent: w -= lr g.
#pragma once

#include "nn/conf/updaters/updater_config.h"

namespace dl::nn {

struct Sgd : RatedUpdater {
  static constexpr std::string_view kTag = "sgd";
  static constexpr std::array<std::string_view, 0> kStateNames = {};

  using RatedUpdater::RatedUpdater;

  bool operator==(const Sgd&) const = default;
  static std::vector<Sgd> Samples() { return {Sgd(0.1), Sgd(StepSchedule(0.1, 0.5, 3))}; }
};

}  // namespace dl::nn
