// The loss of an example is the mean over its n outputs:
//   L = 1/n sum_i (z_i - t_i)^2
// z are the outputs and t the numbers of the example.
#pragma once

#include "nn/conf/losses/loss_config.h"

namespace dl::nn {

struct MeanSquaredError : PlainLoss {
  static constexpr std::string_view kTag = "mean_squared_error";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kNumbers};

  bool operator==(const MeanSquaredError&) const = default;
  static std::vector<MeanSquaredError> Samples() { return {MeanSquaredError()}; }
};

}  // namespace dl::nn
