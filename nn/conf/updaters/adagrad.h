// AdaGrad (Duchi, Hazan, Singer, JMLR 12 (2011), the diagonal form of section 1.1), with an epsilon
// in the denominator:
//   s = s + g^2;  w -= lr g / (sqrt(s) + epsilon)
//
// s is a sum over steps. A merge that averages state replaces it by the mean of the workers' sums.
// This is the sum that a worker with the average of their squares would have. The learning rate
// therefore falls with the number of steps of one worker, not with the number of workers.
#pragma once

#include "nn/conf/updaters/updater_config.h"

namespace dl::nn {

struct AdaGrad : RatedUpdater {
  static constexpr std::string_view kTag = "adagrad";
  static constexpr std::array<std::string_view, 1> kStateNames = {"squares"};

  using RatedUpdater::RatedUpdater;
  AdaGrad& Epsilon(double value) {
    epsilon = value;
    return *this;
  }

  double epsilon = 1e-8;  // 1e-30 to 1

  bool operator==(const AdaGrad&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    RatedUpdater::Fields(self, visit);
    visit(kEpsilonField, self.epsilon);
  }
  static std::vector<AdaGrad> Samples() {
    return {AdaGrad(0.1), AdaGrad(ExponentialSchedule(0.2, 0.5, 7)).Epsilon(1e-3)};
  }
};

}  // namespace dl::nn
