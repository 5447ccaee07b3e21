// Engine implementation of nn/conf/losses/cosine.h. With c = z.t / (|z| |t|), the gradient of a
// row's loss is (c / |z|) z / |z| - t / (|z| |t|).
#pragma once

#include <memory>

#include "nn/losses/loss.h"

namespace dl::nn {

std::unique_ptr<const Loss> MakeCosine();

}  // namespace dl::nn
