// Computes the loss of nn/conf/losses/huber.h.
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeHuber(const Huber& conf);

}  // namespace dl::nn
