// How many floating-point operations a layer's products take: forward, of one example. A product's
// multiplication and the addition behind it are two. What layers do with each value by itself
// (norms, activations, pooling, sums of layers, biases) is not counted, as is usual: He et al.,
// "Deep residual learning", CVPR 2016, table 1, which counts the two as one.
#pragma once

#include "nn/conf/layer_config.h"

namespace dl::nn {

// Doubles, which no model overflows.
struct LayerFlops {
  double nominal = 0;
  // Without what is multiplied with a border's zeros, or thrown away behind one, and without what
  // a causal attention does not look at.
  double unpadded = 0;
};

// Of a sequence of variable length: of the longest.
LayerFlops FlopsOf(const LayerConfig& layer);

}  // namespace dl::nn
