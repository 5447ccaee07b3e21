// Checks that a minibatch fits a model. Labels and targets are checked elsewhere, with the losses
// (nn/output_losses.h).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "nn/network.h"

namespace dl::nn {

// Returns InvalidArgument for the first mistake: a wrong size of `features`, `lengths` or
// `weights`, a length that is not from 1 to the model's number of steps, or a weight that is
// negative or not finite. Does not look at labels and targets. REQUIRES: batch.examples >= 1.
Status CheckMinibatch(const ModelConfig& model, const Minibatch& batch);

// Returns InvalidArgument for the array `what`, which has `actual` values instead of `expected`.
Status SizeError(std::string_view what, int64_t expected, size_t actual);

}  // namespace dl::nn
