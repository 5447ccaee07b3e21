// Decides which images use the variants of networks for small images.
#pragma once

#include "nn/conf/input_type.h"

namespace dl::nn::zoo {

// Returns whether an image has at most 64 x 64 pixels.
inline bool IsSmall(const InputType& image) { return image.height <= 64 && image.width <= 64; }

}  // namespace dl::nn::zoo
