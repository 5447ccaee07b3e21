// 2-D convolution (cross-correlation) with bias:
//   y[n,o,i,j] = b[o] + sum over (c,k,l) of
//                w[o,c,k,l] x[n, c, i*stride_h + k*dilation_h - pad_top,
//                                   j*stride_w + l*dilation_w - pad_left]
#pragma once

#include <cstdint>

#include "base/status.h"
#include "nn/backend/primitive.h"

namespace dl::nn {

struct ConvolutionGeometry {
  int64_t batch = 1;
  int64_t in_channels = 1, in_height = 1, in_width = 1;
  int64_t out_channels = 1, out_height = 1, out_width = 1;
  int64_t kernel_height = 1, kernel_width = 1;
  int64_t stride_height = 1, stride_width = 1;
  int64_t dilation_height = 1, dilation_width = 1;
  int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  int64_t groups = 1;
  bool has_bias = true;
};

// Canonical weights: [out, in, kh, kw], or [groups, out/groups, in/groups, kh, kw] when groups > 1
// (the same memory).
Layout ConvolutionWeightsLayout(const ConvolutionGeometry& geometry);

// Layouts that are empty are chosen by oneDNN.
StatusOr<Primitive> ConvolutionForward(const ConvolutionGeometry& geometry, const Layout& source);
StatusOr<Primitive> ConvolutionBackwardData(const ConvolutionGeometry& geometry,
                                            const Layout& diff_destination);
StatusOr<Primitive> ConvolutionBackwardWeights(const ConvolutionGeometry& geometry,
                                               const Layout& source,
                                               const Layout& diff_destination);

}  // namespace dl::nn
