// Of counts whose rate is exp(z), which belongs to the loss; the output layer computes logarithms:
//   L = 1/n sum_i (exp(z_i) - t_i z_i)
// the negative logarithm of Poisson's probability of t without log(t!), which no z changes
// (PyTorch: PoissonNLLLoss of logarithms). It may be negative. Predictions are the rates, up to
// about 2.4e38.
#pragma once

#include "nn/conf/losses/loss.h"

namespace dl::nn {

struct Poisson : PlainLoss {
  static constexpr std::string_view kTag = "poisson";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kNumbers, .min = 0};

  bool operator==(const Poisson&) const = default;
  void Check(const Output& output, Mistakes& mistakes) const {
    RequireNoActivation(output, "the exponential function", kTag, mistakes);
  }
  static std::vector<Poisson> Samples() { return {Poisson()}; }
};

}  // namespace dl::nn
