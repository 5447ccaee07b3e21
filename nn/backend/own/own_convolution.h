// The portable kernels of convolutions and transposed convolutions (nn/kernels/product). The
// functions have the contracts of those without "Own" in the headers of nn/backend. In images and
// volumes the channels of a pixel are contiguous, and in weights the output channels (of transposed
// convolutions, the input channels). They return FailedPrecondition for sizes that they lack.
#pragma once

#include "nn/backend/deconvolution.h"
#include "nn/kernel_contract.h"

namespace dl::nn {

StatusOr<Primitive> OwnConvolutionForward(const ConvolutionGeometry& geometry);
StatusOr<Primitive> OwnConvolutionBackwardData(const ConvolutionGeometry& geometry);
StatusOr<Primitive> OwnConvolutionBackwardWeights(const ConvolutionGeometry& geometry);

// The same products as native kernels: the same order of additions, but images and weights are in
// blocks of 8 (kAvx2) or 16 channels, as BlockedImages and BlockedWeights say. REQUIRE:
// CanComputeBlockedConvolution.
bool CanComputeBlockedConvolution(const ConvolutionGeometry& geometry, Isa isa);
Primitive OwnBlockedConvolutionForward(const ConvolutionGeometry& geometry, Isa isa);
Primitive OwnBlockedConvolutionBackwardData(const ConvolutionGeometry& geometry, Isa isa);

StatusOr<Primitive> OwnDeconvolutionForward(const ConvolutionGeometry& geometry);
StatusOr<Primitive> OwnDeconvolutionBackwardData(const ConvolutionGeometry& geometry);
StatusOr<Primitive> OwnDeconvolutionBackwardWeights(const ConvolutionGeometry& geometry);

}  // namespace dl::nn
