// AMSGrad (Reddi, Kale, Kumar, "On the convergence of Adam and beyond", ICLR 2018, algorithm 2),
// with Adam's corrections and epsilon, as PyTorch has it: m = beta1 m + (1-beta1) g;  v = beta2 v +
// (1-beta2) g^2;  largest_v = max(largest_v, v); w -= lr (m / (1 - beta1^(t+1))) / (sqrt(largest_v
// / (1 - beta2^(t+1))) + epsilon)
//
// Between two merges largest_v never falls. At a merge that averages state it becomes the mean of
// the workers' maxima. That is at least the mean of their v, and it is what the workers divided by
// on average; who had the largest of them may then divide by less than before. The mean of maxima
// is the rule: a maximum over workers would let the one with the largest gradients slow all others
// down for the rest of the job.
#pragma once

#include "nn/conf/updaters/updater.h"

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
