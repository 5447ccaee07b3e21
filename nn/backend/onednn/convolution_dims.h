// The geometry of a convolution in the types of oneDNN. Only for sources of nn/backend/onednn.
#pragma once

#include "nn/backend/convolution_primitive.h"
#include "nn/backend/onednn/onednn.h"

namespace dl::nn {

struct ConvolutionDims {
  // dilates, pad_begin and pad_end follow oneDNN's conventions: a dilate counts the gaps.
  dnnl::memory::dims source, weights, destination, strides, dilates, pad_begin, pad_end;
  dnnl::memory::desc bias;  // empty without a bias
};
// Returns the dimensions that oneDNN needs for this convolution.
ConvolutionDims DimsOf(const ConvolutionGeometry& geometry);

}  // namespace dl::nn
