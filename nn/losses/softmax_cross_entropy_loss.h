// Computes the loss of nn/conf/losses/softmax_cross_entropy.h. Predictions are probabilities. The
// gradient of a row's loss with respect to the outputs z is w_c (softmax(z) - q). q is the smoothed
// distribution of the label c, and w_c the weight of the class.
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeSoftmaxCrossEntropy(const SoftmaxCrossEntropy& conf);

}  // namespace dl::nn
