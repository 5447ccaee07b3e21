// v = momentum v + g;  w -= lr v: Polyak's heavy ball, in the form of PyTorch. In the form of
// Sutskever et al., ICML 2013, v contains the learning rate. With a constant rate, both forms
// compute the same weights.
//
// v is a decaying sum of gradients. A merge that averages state replaces it by the mean of the
// workers' sums.
#pragma once

#include "nn/conf/updaters/updater_config.h"

namespace dl::nn {

struct HeavyBall : MomentumUpdater<HeavyBall> {
  static constexpr std::string_view kTag = "momentum";

  using MomentumUpdater::MomentumUpdater;

  bool operator==(const HeavyBall&) const = default;
  static std::vector<HeavyBall> Samples() {
    return {HeavyBall(0.1), HeavyBall(StepSchedule(0.1, 0.3, 77)).Momentum(0.8)};
  }
};

// The name for users. A type with this name could not have a member function Momentum(m).
inline HeavyBall Momentum(Schedule learning_rate) { return HeavyBall(std::move(learning_rate)); }

}  // namespace dl::nn
