// Computes the loss of nn/conf/losses/cosine.h. z are the outputs of a row and t its targets. With
// c = z.t / (|z| |t|), the gradient of the row's loss with respect to z is
//   (c / |z|) z / |z| - t / (|z| |t|).
// If z or t has length 0, the loss is 1 and the gradient is 0.
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeCosine();

}  // namespace dl::nn
