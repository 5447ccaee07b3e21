// Computes the loss of nn/conf/losses/mean_squared_error.h.
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeMeanSquaredError();

}  // namespace dl::nn
