// The losses of nn/conf/loss.h: the mean over the examples of a minibatch.
#pragma once

#include "nn/conf/loss.h"
#include "tests/gradient/reference/layer.h"

namespace dl::reference {

// What a minibatch is compared with; the loss decides which one is read.
struct Expected {
  std::span<const int32_t> labels;  // [examples]
  std::span<const float> targets;   // [examples, outputs]
};

double Loss(nn::LossKind kind, const Values& y, int64_t examples, const Expected& expected);
Values LossGradient(nn::LossKind kind, const Values& y, int64_t examples, const Expected& expected);

}  // namespace dl::reference
