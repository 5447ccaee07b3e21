// AdaDelta (Zeiler, arXiv:1212.5701, algorithm 1), times a learning rate, which is 1 in the paper
// and by default:
//   s = decay s + (1-decay) g^2;  d = sqrt(c + epsilon) / sqrt(s + epsilon) g;
//   c = decay c + (1-decay) d^2;  w -= lr d
#pragma once

#include "nn/conf/updaters/updater_config.h"

namespace dl::nn {

struct AdaDelta : RatedUpdater {
  static constexpr std::string_view kTag = "adadelta";
  static constexpr std::array<std::string_view, 2> kStateNames = {"squares", "changes"};

  AdaDelta() : RatedUpdater(1.0) {}
  explicit AdaDelta(Schedule rate) : RatedUpdater(std::move(rate)) {}
  AdaDelta& Decay(double value) {
    decay = value;
    return *this;
  }
  AdaDelta& Epsilon(double value) {
    epsilon = value;
    return *this;
  }

  double decay = 0.95;    // 0 <= decay < 1
  double epsilon = 1e-6;  // 1e-30 to 1

  bool operator==(const AdaDelta&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    RatedUpdater::Fields(self, visit);
    visit(kDecayField, self.decay);
    visit(kEpsilonField, self.epsilon);
  }
  static std::vector<AdaDelta> Samples() {
    return {AdaDelta(2.0), AdaDelta(PolynomialSchedule(0.5, 0.01, 2)).Decay(0.7).Epsilon(1e-3)};
  }
};

}  // namespace dl::nn
