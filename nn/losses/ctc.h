// The engine's side of nn/conf/losses/ctc.h. What counts are examples, each with one loss and one
// prediction. Predictions are each step's probabilities of the classes and of the blank; the
// gradient of an example's loss is p_t - q_t, where q_t is the share that paths with each output at
// t have in p(l).
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeCtc();

}  // namespace dl::nn
