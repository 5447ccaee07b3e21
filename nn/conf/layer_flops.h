// Number of floating-point operations of a layer's matrix products and convolutions, forward, for
// one example. A multiplication and the addition after it count as two. Operations on single values
// (norms, activations, pooling, sums of layers, biases) are not counted, as is usual: He et al.,
// "Deep residual learning", CVPR 2016, table 1, which counts a multiply-add as one.
#pragma once

#include "nn/conf/layer_config.h"

namespace dl::nn {

// Counts are doubles, which no model overflows.
struct LayerFlops {
  // Counts all multiply-adds that follow from the shapes of input, output and parameters.
  double nominal = 0;
  // `nominal` without these multiply-adds: those with zeros of a border, those for values that a
  // transposed convolution crops, and those for pairs of steps that causal attention masks.
  double unpadded = 0;
};

// Returns the number of operations of a layer for one example. If lengths of sequences vary, the
// example has the largest length.
LayerFlops FlopsOf(const LayerConfig& layer);

}  // namespace dl::nn
