// Decides for which images the models of the zoo use their variants for small images.
#pragma once

#include "nn/conf/input_type.h"

namespace dl::nn::zoo {

// Returns whether the height and the width of the image are at most 64 pixels each.
inline bool IsSmall(const InputType& image) { return image.height <= 64 && image.width <= 64; }

}  // namespace dl::nn::zoo
