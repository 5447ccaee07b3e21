// The engine's side of nn/conf/losses/binary_cross_entropy.h. Predictions are
// probabilities, one for each output; the derivative of an output's loss is p - t. With one output,
// examples that are certainly of one class or the other (t is 0 or 1) also count as predictions: 1
// where z > 0. Several outputs are several questions, of which the sums know no accuracy.
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeBinaryCrossEntropy(const BinaryCrossEntropy& conf);

}  // namespace dl::nn
