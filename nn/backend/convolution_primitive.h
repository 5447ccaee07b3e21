// Convolution (cross-correlation) with bias, of images and likewise of volumes:
//   y[n,o,i,j] = b[o] + sum over (c,k,l) of
//                w[o,c,k,l] x[n, c, i*stride_h + k*dilation_h - pad_top,
//                                   j*stride_w + l*dilation_w - pad_left]
#pragma once

#include <cstdint>

#include "base/status.h"
#include "nn/backend/primitive.h"
#include "nn/backend/window_geometry.h"
#include "nn/conf/kernel_set.h"

namespace dl::nn {

struct ConvolutionGeometry {
  int64_t batch = 1;
  int64_t in_channels = 1, out_channels = 1;
  int64_t groups = 1;
  bool has_bias = true;
  ProductTypes types;
  WindowGeometry window;
  KernelSet kernels = KernelSet::kNative;
};

// Returns the canonical layout of the weights: [out, in, kernel...], or if groups > 1 [groups,
// out/groups, in/groups, kernel...], which is the same memory as [out, in/groups, kernel...].
Layout ConvolutionWeightsLayout(const ConvolutionGeometry& geometry);

// Returns `wanted`, with kFloat32 where bf16 is slower for this geometry, or wrong in oneDNN 2.6.3.
ProductTypes BestTypes(const ConvolutionGeometry& geometry, const ProductTypes& wanted);

// Return primitives. `source` and `diff_destination` are layouts of buffers of native kernels, and
// the kernel chooses each layout that is empty. Portable kernels ignore them: their layouts are
// those of nn/backend/own/own_convolution.h.
StatusOr<Primitive> ConvolutionForward(const ConvolutionGeometry& geometry, const Layout& source);
StatusOr<Primitive> ConvolutionBackwardData(const ConvolutionGeometry& geometry,
                                            const Layout& diff_destination);
StatusOr<Primitive> ConvolutionBackwardWeights(const ConvolutionGeometry& geometry,
                                               const Layout& source,
                                               const Layout& diff_destination);

}  // namespace dl::nn
