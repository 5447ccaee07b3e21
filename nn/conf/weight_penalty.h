// The term that L1 and L2 minimize beside the loss.
#pragma once

#include <span>

#include "base/segment_table.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

// sum over the weights of  l1 |w| + l2/2 w^2,  whose gradient is the l1 sign(w) + l2 w that a step
// adds (model_config.h). Frozen weights have no part in it. `state` is a vector of `table`, which
// has all parameters of the model.
double WeightPenalty(const ModelConfig& model, const SegmentTable& table,
                     std::span<const float> state);

// Whether a trained weight has an l1 or l2.
bool HasWeightPenalty(const ModelConfig& model);

}  // namespace dl::nn
