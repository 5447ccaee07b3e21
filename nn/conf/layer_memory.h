// Memory of one layer of a compiled network, for nn/conf/network_memory.h. Counts are doubles,
// because they cannot overflow and an upper bound needs no exact last digit.
#pragma once

#include "nn/conf/layer_config.h"

namespace dl::nn {

// Number of floats of the longest vector register. Kernels lay out channels in blocks of this size.
inline constexpr double kVectorFloats = 16;

// Returns the number of values of one example between layers, including the padding of kernels'
// layouts.
double PaddedValues(const InputType& type);

// Memory of one layer in floats, for the examples that it computes at once.
struct LayerMemory {
  double kept = 0;       // from its forward step to its backward step
  double passing = 0;    // in one of these steps only: gradients, copies in other layouts, scratch
  double tensors = 0;    // parameters and moments, which exist between steps, too
  double own = 0;        // working memory outside of the arena, which always exists
  double first = 0;      // part of `passing` that the first layer with parameters does not need
  bool product = false;  // its kernels choose the layout of the output
};

// Returns the memory of a layer that computes `batch` examples at once. `in` is the number of
// values that it reads from its first input for these examples, with the padding of their layout.
// `threads` is the number of threads of a kernel.
LayerMemory MemoryOf(const LayerConfig& layer, double in, double batch, double threads);

}  // namespace dl::nn
