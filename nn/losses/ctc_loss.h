// Engine implementation of nn/conf/losses/ctc.h. An example has one loss and one predicted
// sequence, however many steps it has. Predictions are, for each step, the probabilities of the
// classes and of the blank. The gradient of an example's loss is p_t - q_t, where q_t is the share
// of p(l) that belongs to paths with each output at step t.
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeCtc();

}  // namespace dl::nn
