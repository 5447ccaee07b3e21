// L = 1/n sum_i |z_i - t_i|. The derivative at 0 is 0.
#pragma once

#include "nn/conf/losses/loss_config.h"

namespace dl::nn {

struct MeanAbsoluteError : PlainLoss {
  static constexpr std::string_view kTag = "mean_absolute_error";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kNumbers};

  bool operator==(const MeanAbsoluteError&) const = default;
  static std::vector<MeanAbsoluteError> Samples() { return {MeanAbsoluteError()}; }
};

}  // namespace dl::nn
