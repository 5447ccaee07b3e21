// AMSGrad (Reddi, Kale, Kumar, "On the convergence of Adam and beyond", ICLR 2018, algorithm 2),
// with Adam's corrections and epsilon, as in PyTorch:
//   m = beta1 m + (1-beta1) g;  v = beta2 v + (1-beta2) g^2;  largest_v = max(largest_v, v);
//   w -= lr (m / (1 - beta1^t)) / (sqrt(largest_v / (1 - beta2^t)) + epsilon)
//
// Between two merges largest_v never falls. A merge that averages state replaces it by the mean of
// the workers' maxima, which is at least the mean of their v. A worker with a larger maximum may
// then divide by less than before. The maximum over workers is not used, because the worker with
// the largest gradients would slow down all others for the rest of the job.
#pragma once

#include "nn/conf/updaters/updater_config.h"

namespace dl::nn {

struct AmsGrad : MomentsUpdater<AmsGrad> {
  static constexpr std::string_view kTag = "amsgrad";
  static constexpr std::array<std::string_view, 3> kStateNames = {"m", "v", "largest_v"};

  using MomentsUpdater::MomentsUpdater;

  bool operator==(const AmsGrad&) const = default;
  static std::vector<AmsGrad> Samples() {
    return {AmsGrad(0.1), AmsGrad(OneCycleSchedule({.initial = 0.01, .peak = 0.2}))
                              .Beta1(0.7)
                              .Beta2(0.9)
                              .Epsilon(1e-3)};
  }
};

}  // namespace dl::nn
