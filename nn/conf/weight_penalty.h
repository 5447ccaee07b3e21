// The term that L1 and L2 minimize in addition to the loss.
#pragma once

#include <span>

#include "base/segment_table.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

// Returns the sum of this term over all weights that are not frozen:
//   l1 |w| + l2/2 w^2
// A training step adds its gradient, l1 sign(w) + l2 w (model_config.h, step 4). Biases, gamma and
// beta have neither l1 nor l2 and are not included. `state` is a vector of `table`.
// REQUIRES: `table` contains all parameters of the model.
double WeightPenalty(const ModelConfig& model, const SegmentTable& table,
                     std::span<const float> state);

// Returns whether any trained weight has l1 or l2 above 0.
bool HasWeightPenalty(const ModelConfig& model);

}  // namespace dl::nn
