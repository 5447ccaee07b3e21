// Checks that a minibatch fits a model: the sizes of its arrays, lengths and weights. Labels and
// targets are checked with the losses (nn/output_losses.h).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "nn/network.h"

namespace dl::nn {

// Returns InvalidArgument for the first mistake.
Status CheckMinibatch(const ModelConfig& model, const Minibatch& batch);

// Returns the error for an array `what` that has another size than expected.
Status SizeError(std::string_view what, int64_t expected, size_t actual);

}  // namespace dl::nn
