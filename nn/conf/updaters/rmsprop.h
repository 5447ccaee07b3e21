// RMSProp (Tieleman, Hinton, "Lecture 6.5", Neural networks for machine learning, 2012), with an
// epsilon in the denominator:
//   s = decay s + (1-decay) g^2;  w -= lr g / (sqrt(s) + epsilon)
// With momentum, as in PyTorch's RMSprop:
//   v = momentum v + g / (sqrt(s) + epsilon);  w -= lr v
//
// s is a decaying mean, v a decaying sum. A merge that averages state replaces each by the mean of
// the workers' values.
#pragma once

#include "nn/conf/updaters/updater_config.h"

namespace dl::nn {

struct RmsProp : RatedUpdater {
  static constexpr std::string_view kTag = "rmsprop";
  static constexpr std::array<std::string_view, 2> kStateNames = {"squares", "momentum"};

  using RatedUpdater::RatedUpdater;
  RmsProp& Decay(double value) {
    decay = value;
    return *this;
  }
  RmsProp& Epsilon(double value) {
    epsilon = value;
    return *this;
  }
  RmsProp& Momentum(double value) {
    momentum = value;
    return *this;
  }
  // Without momentum, v does not exist.
  size_t StateCount() const { return momentum > 0 ? 2 : 1; }

  double decay = 0.9;     // 0 <= decay < 1
  double epsilon = 1e-8;  // 1e-30 to 1
  double momentum = 0;    // 0 <= momentum < 1

  bool operator==(const RmsProp&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    RatedUpdater::Fields(self, visit);
    visit(kDecayField, self.decay);
    visit(kEpsilonField, self.epsilon);
    visit(kMomentumField, self.momentum);
  }
  static std::vector<RmsProp> Samples() {
    return {RmsProp(0.1), RmsProp(InverseSchedule(0.2, 0.01, 0.75)).Decay(0.7).Epsilon(1e-3),
            RmsProp(0.05).Momentum(0.8)};
  }
};

}  // namespace dl::nn
