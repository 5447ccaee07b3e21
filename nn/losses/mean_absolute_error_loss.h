// Computes the loss of nn/conf/losses/mean_absolute_error.h.
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeMeanAbsoluteError();

}  // namespace dl::nn
