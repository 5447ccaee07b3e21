// The own weight gradient of a dense layer in bf16, for CPUs with AMX.
#pragma once

#include "nn/backend/primitive.h"

namespace dl::nn {

// Returns whether the own kernel can compute what `primitive`, a weight gradient of a dense layer,
// computes. REQUIRES: not empty.
bool CanComputeOwnDenseGradient(const Primitive& primitive);

// Returns the own kernel with the layouts of `primitive` and with the same bits. REQUIRES:
// CanComputeOwnDenseGradient(primitive), and a process that computes with AMX.
Primitive OwnDenseGradient(const Primitive& primitive);

}  // namespace dl::nn
