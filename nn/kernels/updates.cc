#include "nn/kernels/updates.h"

#include "nn/kernels/clones.h"
#include "nn/kernels/effective_gradient.h"

namespace dl::nn {

DL_ISA_CLONES void AddL1(const UpdateTerms& terms, float l1, float* __restrict g,
                         const float* __restrict w, int64_t n) {
  const UpdateTerms t = terms;
  for (int64_t i = 0; i < n; ++i) {
    const float pull = w[i] > 0.0f ? l1 : (w[i] < 0.0f ? -l1 : 0.0f);
    g[i] = Clipped(t, g[i]) + pull;
  }
}

DL_ISA_CLONES void SgdUpdate(const UpdateTerms& terms, const float* __restrict g,
                             float* __restrict w, int64_t n) {
  const UpdateTerms t = terms;
  for (int64_t i = 0; i < n; ++i) {
    const float x = Effective(t, g[i], w[i]);
    w[i] = (w[i] - t.decay * w[i]) - t.learning_rate * x;
  }
}

DL_ISA_CLONES void MomentumUpdate(const UpdateTerms& terms, MomentumTerms rule,
                                  const float* __restrict g, float* __restrict v,
                                  float* __restrict w, int64_t n) {
  const UpdateTerms t = terms;
  for (int64_t i = 0; i < n; ++i) {
    v[i] = rule.momentum * v[i] + Effective(t, g[i], w[i]);
    w[i] = (w[i] - t.decay * w[i]) - t.learning_rate * v[i];
  }
}

DL_ISA_CLONES void NesterovUpdate(const UpdateTerms& terms, MomentumTerms rule,
                                  const float* __restrict g, float* __restrict v,
                                  float* __restrict w, int64_t n) {
  const UpdateTerms t = terms;
  for (int64_t i = 0; i < n; ++i) {
    const float x = Effective(t, g[i], w[i]);
    v[i] = rule.momentum * v[i] + x;
    w[i] = (w[i] - t.decay * w[i]) - t.learning_rate * (x + rule.momentum * v[i]);
  }
}

DL_ISA_CLONES void AdamUpdate(const UpdateTerms& terms, const AdamTerms& rule,
                              const float* __restrict g, AdamState state, float* __restrict w,
                              int64_t n) {
  const UpdateTerms t = terms;
  const AdamTerms a = rule;
  float* __restrict m = state.m;
  float* __restrict v = state.v;
  for (int64_t i = 0; i < n; ++i) {
    const float x = Effective(t, g[i], w[i]);
    AddToMoments(a, x, m[i], v[i]);
    const float change =
        a.step_size * m[i] / (__builtin_sqrtf(v[i]) * a.root_correction + a.epsilon);
    w[i] = (w[i] - t.decay * w[i]) - change;
  }
}

}  // namespace dl::nn
