// Computes the loss of nn/conf/losses/binary_cross_entropy.h. Predictions are probabilities p, one
// for each output z with target t. The derivative of an output's loss with respect to z is p - t.
// With a weight w of positive answers it is p (1 + (w - 1) t) - w t.
//
// If there is a single output, predicted classes are counted too. Class 1 is predicted if p > 1/2.
// Only rows with t = 0 or t = 1 count. Several outputs are independent questions, for which no
// accuracy is recorded.
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeBinaryCrossEntropy(const BinaryCrossEntropy& conf);

}  // namespace dl::nn
