// Losses for sides t, -1 or 1 (or between them if a side is uncertain), one for each output:
//   hinge          L = 1/n sum_i max(0, 1 - t_i z_i)
//   squared_hinge  L = 1/n sum_i max(0, 1 - t_i z_i)^2
// Cortes, Vapnik, "Support-vector networks", Machine Learning 20 (1995). The mean over the outputs
// is as in Keras, but targets of 0 are not converted to -1. The derivative at 1 - t z = 0 is 0.
#pragma once

#include "nn/conf/losses/loss_config.h"

namespace dl::nn {

struct Hinge : PlainLoss {
  static constexpr std::string_view kTag = "hinge";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kNumbers, .min = -1, .max = 1};

  bool operator==(const Hinge&) const = default;
  static std::vector<Hinge> Samples() { return {Hinge()}; }
};

struct SquaredHinge : PlainLoss {
  static constexpr std::string_view kTag = "squared_hinge";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kNumbers, .min = -1, .max = 1};

  bool operator==(const SquaredHinge&) const = default;
  static std::vector<SquaredHinge> Samples() { return {SquaredHinge()}; }
};

}  // namespace dl::nn
