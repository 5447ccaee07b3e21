// The angle between two vectors, whatever their lengths:
//   L = 1 - z.t / (|z| |t|)
// A vector of length 0 stands at a right angle to all others, and has no gradient. (Keras and
// Deeplearning4j report L - 1.)
#pragma once

#include "nn/conf/losses/loss.h"

namespace dl::nn {

struct Cosine : PlainLoss {
  static constexpr std::string_view kTag = "cosine";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kNumbers};

  bool operator==(const Cosine&) const = default;
  static std::vector<Cosine> Samples() { return {Cosine()}; }
};

}  // namespace dl::nn
