// Transposed convolution with bias. It adds, for all (n,o,c,i,j,k,l),
//   y[n, o, i*stride_h + k*dilation_h - pad_top, j*stride_w + l*dilation_w - pad_left] +=
//       w[o,c,k,l] x[n,c,i,j]
// to an output that begins as b[o]. With groups, an output channel o reads only the input channels
// of its group. The geometry describes x as input and y as output. Weights have the layout of a
// convolution's weights (ConvolutionWeightsLayout).
#pragma once

#include "nn/backend/convolution_primitive.h"

namespace dl::nn {

// Return primitives. `source` and `diff_destination` are layouts of buffers of native kernels, and
// oneDNN chooses each layout that is empty. Portable kernels ignore them: their layouts are those
// of nn/backend/own/own_convolution.h. Return Internal if oneDNN cannot build the kernel,
// ResourceExhausted without memory, and FailedPrecondition for sizes that portable kernels lack.
StatusOr<Primitive> DeconvolutionForward(const ConvolutionGeometry& geometry, const Layout& source);
StatusOr<Primitive> DeconvolutionBackwardData(const ConvolutionGeometry& geometry,
                                              const Layout& diff_destination);
StatusOr<Primitive> DeconvolutionBackwardWeights(const ConvolutionGeometry& geometry,
                                                 const Layout& source,
                                                 const Layout& diff_destination);

}  // namespace dl::nn
