// Computations of single values that several update rules share: the gradient that a rule uses
// (clipped, scaled, with L2), and its moments. For inclusion in loops that vectorize.
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
// Updates the moments that Adam and related rules keep of the gradient x.
DL_ALWAYS_INLINE void AddToMoments(const AdamTerms& a, float x, float& m, float& v) {
  m = a.beta1 * m + a.rest1 * x;
  v = a.beta2 * v + a.rest2 * (x * x);
}

}  // namespace dl::nn
