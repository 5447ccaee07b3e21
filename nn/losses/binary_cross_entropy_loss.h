// Engine implementation of nn/conf/losses/binary_cross_entropy.h. Predictions are probabilities p,
// one for each output. The derivative of an output's loss is p - t, with a weight w of positive
// answers p (1 + (w - 1) t) - w t. A single output also counts predicted classes: class 1 is
// predicted if p > 1/2, and only rows with t = 0 or t = 1 count.
// Several outputs are independent questions, for which no accuracy is recorded.
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeBinaryCrossEntropy(const BinaryCrossEntropy& conf);

}  // namespace dl::nn
