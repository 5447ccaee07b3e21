// Transposed convolution with bias: with the geometry's x and y as they are here,
//   y[n, o, i*stride_h + k*dilation_h - pad_top, j*stride_w + l*dilation_w - pad_left] +=
//       w[o,c,k,l] x[n,c,i,j]
// over all (c,i,j,k,l), beginning with b[o]. Weights lie as a convolution's
// (ConvolutionWeightsLayout).
#pragma once

#include "nn/backend/convolution.h"

namespace dl::nn {

// Layouts that are empty are chosen by oneDNN.
StatusOr<Primitive> DeconvolutionForward(const ConvolutionGeometry& geometry, const Layout& source);
StatusOr<Primitive> DeconvolutionBackwardData(const ConvolutionGeometry& geometry,
                                              const Layout& diff_destination);
StatusOr<Primitive> DeconvolutionBackwardWeights(const ConvolutionGeometry& geometry,
                                                 const Layout& source,
                                                 const Layout& diff_destination);

}  // namespace dl::nn
