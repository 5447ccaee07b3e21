// Engine implementation of nn/conf/losses/poisson.h. Predictions are the rates, exp(z). The
// derivative of an output's loss is exp(z) - t.
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakePoisson();

}  // namespace dl::nn
