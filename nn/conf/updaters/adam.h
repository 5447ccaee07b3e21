// Adam (Kingma, Ba, ICLR 2015, algorithm 1):
// m = beta1 m + (1-beta1) g;  v = beta2 v + (1-beta2) g^2;
// w -= lr (m / (1 - beta1^(t+1))) / (sqrt(v / (1 - beta2^(t+1))) + epsilon)
#pragma once

#include "nn/conf/updaters/updater.h"

namespace dl::nn {

struct Adam : RatedUpdater {
  static constexpr std::string_view kTag = "adam";
  static constexpr std::array<std::string_view, 2> kStateNames = {"m", "v"};

  using RatedUpdater::RatedUpdater;
  Adam& Beta1(double value) {
    beta1 = value;
    return *this;
  }
  Adam& Beta2(double value) {
    beta2 = value;
    return *this;
  }
  Adam& Epsilon(double value) {
    epsilon = value;
    return *this;
  }

  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;

  bool operator==(const Adam&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    RatedUpdater::Fields(self, visit);
    visit(Field{.key = "beta1",
                .what = "Adam's beta1",
                .max = kLargestBelowOne,
                .meaning = "Decay of the mean of gradients; below 1"},
          self.beta1);
    visit(Field{.key = "beta2",
                .what = "Adam's beta2",
                .max = kLargestBelowOne,
                .meaning = "Decay of the mean of squared gradients; below 1"},
          self.beta2);
    visit(Field{.key = "epsilon",
                .what = "Adam's epsilon",
                .min = 1e-30,
                .max = 1,
                .meaning = "Added to the root of the squares' mean"},
          self.epsilon);
  }
  static std::vector<Adam> Samples() {
    return {Adam(0.1), Adam(CosineSchedule(1.0 / 3)).Beta1(0.7).Beta2(0.9).Epsilon(1e-3)};
  }
};

}  // namespace dl::nn
