// The gradient that a rule sees, of one value: clipped, scaled, with L2. For inclusion in loops
// that vectorize.
#pragma once

#include "nn/kernels/clones.h"
#include "nn/kernels/updates.h"

namespace dl::nn {

DL_ALWAYS_INLINE float Clipped(const UpdateTerms& t, float g) {
  float x = g > t.gradient_bound ? t.gradient_bound : g;
  x = x < -t.gradient_bound ? -t.gradient_bound : x;
  return x * t.gradient_scale;
}
DL_ALWAYS_INLINE float Effective(const UpdateTerms& t, float g, float w) {
  return Clipped(t, g) + t.l2 * w;
}

}  // namespace dl::nn
