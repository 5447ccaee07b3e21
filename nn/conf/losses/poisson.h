// Loss for counts t with rate exp(z). The exponential function belongs to the loss; the output
// layer computes the logarithms z of n rates:
//   L = 1/n sum_i (exp(z_i) - t_i z_i)
// This is the negative logarithm of the Poisson probability of t without log(t!), which does not
// depend on z (PyTorch: PoissonNLLLoss with log_input). It may be negative. Predictions are the
// rates exp(z). In the loss, its gradient and the predictions, exp is limited to about 2.4e38.
#pragma once

#include "nn/conf/losses/loss_config.h"

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
