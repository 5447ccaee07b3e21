// The weight gradient of a convolution with the loops of nn/kernels/conv.
#pragma once

#include "nn/backend/convolution_primitive.h"
#include "nn/kernel_contract.h"

namespace dl::nn {

// Returns whether the own kernel can compute the weight gradient: images, one group, and what
// WeightGradient::Supports requires.
bool CanComputeOwnWeightGradient(const ConvolutionGeometry& geometry, Isa isa);

// Returns the primitive "own:weight_gradient". Its layouts are those that oneDNN's forward kernels
// use for this instruction set, with plain images if in_channels is at most 3. The bits are the
// same for each instruction set and number of threads. REQUIRES: CanComputeOwnWeightGradient.
Primitive OwnConvolutionBackwardWeights(const ConvolutionGeometry& geometry, Isa isa);

}  // namespace dl::nn
