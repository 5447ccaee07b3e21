// Convolutions of small images in bf16 by own kernels (nn/kernels/amx/small_convolution.h and
// small_weight_gradient.h). Images have the channels last.
#pragma once

#include "nn/backend/convolution_primitive.h"

namespace dl::nn {

// Returns whether these kernels compute a convolution and its gradients if the factors are bf16.
// They require AMX, two axes, one group, and multiples of 32 channels, and are chosen for few
// pixels.
bool UsesOwnSmallConvolution(const ConvolutionGeometry& geometry);

// REQUIRE: AMX, two axes, one group, and multiples of 32 channels.
Primitive OwnSmallConvolutionForward(const ConvolutionGeometry& geometry);
Primitive OwnSmallConvolutionBackwardData(const ConvolutionGeometry& geometry);
Primitive OwnSmallConvolutionBackwardWeights(const ConvolutionGeometry& geometry);

}  // namespace dl::nn
