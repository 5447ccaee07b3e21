// What one layer of a compiled network takes, for nn/conf/network_memory.h. Counts are doubles:
// they cannot overflow, and a bound needs no last digit.
#pragma once

#include "nn/conf/layer_config.h"

namespace dl::nn {

// Floats of the longest vector: kernels lay channels out in such blocks.
inline constexpr double kVectorFloats = 16;

// Values of one example between layers, as kernels lay them out.
double PaddedValues(const InputType& type);

// Of one layer, in floats, for one minibatch.
struct LayerMemory {
  double kept = 0;       // from its forward to its backward step
  double passing = 0;    // in one of these steps only: gradients, copies in other layouts, scratch
  double tensors = 0;    // parameters and moments: between steps too
  double own = 0;        // what it works in outside of what layers share: always
  double first = 0;      // of `passing`, what the first layer with parameters does without
  bool product = false;  // writes its output in a layout of its kernels
};

// `in`: values of the minibatch that it reads of its first input.
LayerMemory MemoryOf(const LayerConfig& layer, double in, double batch, double threads);

}  // namespace dl::nn
