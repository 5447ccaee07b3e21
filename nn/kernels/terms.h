// Terms of sums (nn/kernels/lanes.h) that several kernels use.
#pragma once

#include <cstdint>

#include "nn/kernels/clones.h"

namespace dl::nn {

// The value x[i].
struct Value {
  const float* x;
  DL_ALWAYS_INLINE double operator()(int64_t i) const { return static_cast<double>(x[i]); }
};

// The square of x[i] - mean, in double.
struct SquareFrom {
  const float* x;
  double mean;
  DL_ALWAYS_INLINE double operator()(int64_t i) const {
    const double d = static_cast<double>(x[i]) - mean;
    return d * d;
  }
};

}  // namespace dl::nn
