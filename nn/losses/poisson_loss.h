// Computes the loss of nn/conf/losses/poisson.h. Predictions are the rates, exp(z), of outputs z.
// The derivative of an output's loss with respect to z is exp(z) - t, where t is the target.
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakePoisson();

}  // namespace dl::nn
