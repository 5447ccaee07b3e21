// The term that L1 and L2 minimize in addition to the loss.
#pragma once

#include <span>

#include "base/segment_table.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

// Returns the sum over the weights of  l1 |w| + l2/2 w^2.  Its gradient is the term l1 sign(w) + l2
// w that a step adds (model_config.h). Frozen weights are not included. `state` is a vector of
// `table`, which must contain all parameters of the model.
double WeightPenalty(const ModelConfig& model, const SegmentTable& table,
                     std::span<const float> state);

// Returns whether any trained weight has l1 or l2 above 0.
bool HasWeightPenalty(const ModelConfig& model);

}  // namespace dl::nn
