// The loss is 1 minus the cosine of the angle between two vectors:
//   L = 1 - z.t / (|z| |t|)
// If a vector has length 0, the cosine and the gradient are 0. (Keras and Deeplearning4j report L -
// 1.)
#pragma once

#include "nn/conf/losses/loss_config.h"

namespace dl::nn {

struct Cosine : PlainLoss {
  static constexpr std::string_view kTag = "cosine";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kNumbers};

  bool operator==(const Cosine&) const = default;
  static std::vector<Cosine> Samples() { return {Cosine()}; }
};

}  // namespace dl::nn
