#include "nn/kernels/layerwise_updates.h"

#include "nn/kernels/clones.h"
#include "nn/kernels/effective_gradient.h"

namespace dl::nn {

DL_ISA_CLONES void ClipGradient(const UpdateTerms& terms, float* g, int64_t n) {
  const UpdateTerms t = terms;
  for (int64_t i = 0; i < n; ++i) g[i] = Clipped(t, g[i]);
}

DL_ISA_CLONES void LarsUpdate(const UpdateTerms& terms, MomentumTerms rule, float rate,
                              const float* __restrict g, float* __restrict v, float* __restrict w,
                              int64_t n) {
  const UpdateTerms t = terms;
  for (int64_t i = 0; i < n; ++i) {
    v[i] = rule.momentum * v[i] + rate * (g[i] + t.l2 * w[i]);
    w[i] = (w[i] - t.decay * w[i]) - v[i];
  }
}

DL_ISA_CLONES void LambDirection(const UpdateTerms& terms, const AdamTerms& rule,
                                 float weight_decay, float* __restrict g, AdamState state,
                                 const float* __restrict w, int64_t n) {
  const UpdateTerms t = terms;
  const AdamTerms a = rule;
  float* __restrict m = state.m;
  float* __restrict v = state.v;
  for (int64_t i = 0; i < n; ++i) {
    const float x = Effective(t, g[i], w[i]);
    AddToMoments(a, x, m[i], v[i]);
    g[i] = a.step_size * m[i] / (__builtin_sqrtf(v[i]) * a.root_correction + a.epsilon) +
           weight_decay * w[i];
  }
}

DL_ISA_CLONES void StepAlong(const float* __restrict g, float rate, float* __restrict w,
                             int64_t n) {
  for (int64_t i = 0; i < n; ++i) w[i] = w[i] - rate * g[i];
}

}  // namespace dl::nn
