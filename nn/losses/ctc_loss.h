// Computes the loss of nn/conf/losses/ctc.h. An example has one loss and one predicted sequence,
// however many steps it has. Predictions are, for each step, the probabilities of the classes and
// of the blank. The gradient of an example's loss with respect to the outputs z_t of step t is
// p_t - q_t. p_t are the predictions of the step. q_t has for each output the share of p(l) that
// belongs to paths with this output at step t.
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeCtc();

}  // namespace dl::nn
