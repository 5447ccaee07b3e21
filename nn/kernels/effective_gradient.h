// Functions of single values that several update rules share: the gradient g' that a rule uses
// (nn/kernels/updates.h), and Adam's moments. They are always inlined, so that the loops that call
// them vectorize.
#pragma once

#include "nn/kernels/clones.h"
#include "nn/kernels/updates.h"

namespace dl::nn {

// Returns clamp(g, -gradient_bound, gradient_bound) * gradient_scale. NaN stays NaN.
DL_ALWAYS_INLINE float Clipped(const UpdateTerms& t, float g) {
  float x = g > t.gradient_bound ? t.gradient_bound : g;
  x = x < -t.gradient_bound ? -t.gradient_bound : x;
  return x * t.gradient_scale;
}
// Returns g' for the gradient g of the weight w: Clipped(t, g) plus the term of L2.
DL_ALWAYS_INLINE float Effective(const UpdateTerms& t, float g, float w) {
  return Clipped(t, g) + t.l2 * w;
}
// Updates the first moment m and the second moment v of Adam and related rules, in place. x is the
// gradient g' of the step.
DL_ALWAYS_INLINE void AddToMoments(const AdamTerms& a, float x, float& m, float& v) {
  m = a.beta1 * m + a.rest1 * x;
  v = a.beta2 * v + a.rest2 * (x * x);
}

}  // namespace dl::nn
