// The portable kernels of convolutions and transposed convolutions (nn/kernels/product). The
// functions have the contracts of those without "Own" in the headers of nn/backend. In images and
// volumes the channels of a pixel are contiguous, and in weights the output channels (of transposed
// convolutions, the input channels). They return FailedPrecondition for sizes that they lack.
#pragma once

#include "nn/backend/deconvolution.h"

namespace dl::nn {

StatusOr<Primitive> OwnConvolutionForward(const ConvolutionGeometry& geometry);
StatusOr<Primitive> OwnConvolutionBackwardData(const ConvolutionGeometry& geometry);
StatusOr<Primitive> OwnConvolutionBackwardWeights(const ConvolutionGeometry& geometry);

StatusOr<Primitive> OwnDeconvolutionForward(const ConvolutionGeometry& geometry);
StatusOr<Primitive> OwnDeconvolutionBackwardData(const ConvolutionGeometry& geometry);
StatusOr<Primitive> OwnDeconvolutionBackwardWeights(const ConvolutionGeometry& geometry);

}  // namespace dl::nn
