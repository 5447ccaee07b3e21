// The engine's side of nn/conf/losses/triplet.h. Where a triplet counts, the gradient of its loss
// by anchor, positive and negative is 2 (n - p), 2 (p - a) and 2 (a - n).
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeTriplet(const Triplet& conf);

}  // namespace dl::nn
