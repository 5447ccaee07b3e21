// A convolution's geometry in oneDNN's words; for sources of nn/backend alone.
#pragma once

#include "nn/backend/convolution.h"
#include "nn/backend/onednn.h"

namespace dl::nn {

struct ConvolutionDims {
  dnnl::memory::dims source, weights, destination, strides, dilates, pad_begin, pad_end;
  dnnl::memory::desc bias;  // empty without one
};
ConvolutionDims DimsOf(const ConvolutionGeometry& geometry);

}  // namespace dl::nn
