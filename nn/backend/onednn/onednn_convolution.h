// oneDNN's weight gradient of a convolution. ConvolutionBackwardWeights chooses between it and an
// own kernel.
#pragma once

#include "base/status.h"
#include "nn/backend/convolution_primitive.h"

namespace dl::nn {

// Has the contract of ConvolutionBackwardWeights.
StatusOr<Primitive> OnednnConvolutionBackwardWeights(const ConvolutionGeometry& geometry,
                                                     const Layout& source,
                                                     const Layout& diff_destination);

}  // namespace dl::nn
