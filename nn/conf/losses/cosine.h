// The loss is 1 minus the cosine of the angle between the vectors z and t:
//   L = 1 - z.t / (|z| |t|)
// z are the outputs and t the numbers of an example, and |z| is the Euclidean norm. If |z| or |t|
// is 0, the cosine and the gradient are 0, and L is 1. Keras and Deeplearning4j report minus the
// cosine, without the 1.
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
