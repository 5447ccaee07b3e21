// Computes the losses of nn/conf/losses/hinge.h.
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeHinge();
std::unique_ptr<const Loss> MakeSquaredHinge();

}  // namespace dl::nn
