// Computes the loss of nn/conf/losses/kl_divergence.h. Predictions are probabilities.
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeKlDivergence();

}  // namespace dl::nn
