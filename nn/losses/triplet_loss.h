// Computes the loss of nn/conf/losses/triplet.h. If the loss of a triplet is above 0, its gradients
// with respect to anchor, positive and negative are 2 (n - p), 2 (p - a) and 2 (a - n). As for all
// losses, Loss::Gradient multiplies them by the share of the triplet in the mean (ShareOf).
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeTriplet(const Triplet& conf);

}  // namespace dl::nn
