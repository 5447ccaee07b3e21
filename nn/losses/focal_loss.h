// Computes the loss of nn/conf/losses/focal.h. p is the probability of the class c, q = 1 - p, and
// w_c the weight of the class. The gradient of a row's loss with respect to z_k is
//   w_c (gamma p q^(gamma - 1) log p - q^gamma) ([k = c] - p_k).
// This is p_k - [k = c], the gradient of cross-entropy, times the factor
//   w_c (q^gamma - gamma p q^gamma (log p) / q).
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeFocal(const Focal& conf);

}  // namespace dl::nn
