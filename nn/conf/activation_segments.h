// Divides the layers of a model into segments for training with few activations in memory (Chen,
// Xu, Zhang, Guestrin, arXiv:1604.06174). The forward pass stores only the values that a later
// segment reads. The backward pass computes a segment again before it needs its other values.
#pragma once

#include <vector>

#include "nn/conf/model_config.h"

namespace dl::nn {

// Returns the index of each layer's segment, ascending from 0. Compares divisions for several upper
// bounds of a segment's memory, and chooses the smallest sum of this bound and the values between
// segments. nn/conf/layer_memory.h counts the memory, for one example. n equal layers have about
// sqrt(n) segments. Depends only on the model.
std::vector<int> ActivationSegments(const ModelConfig& model);

}  // namespace dl::nn
