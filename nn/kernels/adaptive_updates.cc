#include "nn/kernels/adaptive_updates.h"

#include "nn/kernels/clones.h"
#include "nn/kernels/effective_gradient.h"

namespace dl::nn {

DL_ISA_CLONES void AdaGradUpdate(const UpdateTerms& terms, float epsilon, const float* __restrict g,
                                 float* __restrict s, float* __restrict w, int64_t n) {
  const UpdateTerms t = terms;
  for (int64_t i = 0; i < n; ++i) {
    const float x = Effective(t, g[i], w[i]);
    s[i] = s[i] + x * x;
    const float change = t.learning_rate * x / (__builtin_sqrtf(s[i]) + epsilon);
    w[i] = (w[i] - t.decay * w[i]) - change;
  }
}

DL_ISA_CLONES void RmsPropUpdate(const UpdateTerms& terms, const SquaresTerms& rule,
                                 const float* __restrict g, float* __restrict s,
                                 float* __restrict w, int64_t n) {
  const UpdateTerms t = terms;
  const SquaresTerms r = rule;
  for (int64_t i = 0; i < n; ++i) {
    const float x = Effective(t, g[i], w[i]);
    s[i] = r.decay * s[i] + r.rest * (x * x);
    const float change = t.learning_rate * x / (__builtin_sqrtf(s[i]) + r.epsilon);
    w[i] = (w[i] - t.decay * w[i]) - change;
  }
}

DL_ISA_CLONES void RmsPropMomentumUpdate(const UpdateTerms& terms, const SquaresTerms& rule,
                                         float momentum, const float* __restrict g,
                                         RmsPropState state, float* __restrict w, int64_t n) {
  const UpdateTerms t = terms;
  const SquaresTerms r = rule;
  float* __restrict s = state.squares;
  float* __restrict v = state.momentum;
  for (int64_t i = 0; i < n; ++i) {
    const float x = Effective(t, g[i], w[i]);
    s[i] = r.decay * s[i] + r.rest * (x * x);
    v[i] = momentum * v[i] + x / (__builtin_sqrtf(s[i]) + r.epsilon);
    w[i] = (w[i] - t.decay * w[i]) - t.learning_rate * v[i];
  }
}

DL_ISA_CLONES void AdaDeltaUpdate(const UpdateTerms& terms, const SquaresTerms& rule,
                                  const float* __restrict g, AdaDeltaState state,
                                  float* __restrict w, int64_t n) {
  const UpdateTerms t = terms;
  const SquaresTerms r = rule;
  float* __restrict s = state.squares;
  float* __restrict c = state.changes;
  for (int64_t i = 0; i < n; ++i) {
    const float x = Effective(t, g[i], w[i]);
    s[i] = r.decay * s[i] + r.rest * (x * x);
    const float d = __builtin_sqrtf(c[i] + r.epsilon) / __builtin_sqrtf(s[i] + r.epsilon) * x;
    c[i] = r.decay * c[i] + r.rest * (d * d);
    w[i] = (w[i] - t.decay * w[i]) - t.learning_rate * d;
  }
}

DL_ISA_CLONES void AmsGradUpdate(const UpdateTerms& terms, const AdamTerms& rule,
                                 const float* __restrict g, AmsGradState state, float* __restrict w,
                                 int64_t n) {
  const UpdateTerms t = terms;
  const AdamTerms a = rule;
  float* __restrict m = state.m;
  float* __restrict v = state.v;
  float* __restrict largest = state.largest_v;
  for (int64_t i = 0; i < n; ++i) {
    const float x = Effective(t, g[i], w[i]);
    AddToMoments(a, x, m[i], v[i]);
    largest[i] = v[i] > largest[i] ? v[i] : largest[i];
    const float change =
        a.step_size * m[i] / (__builtin_sqrtf(largest[i]) * a.root_correction + a.epsilon);
    w[i] = (w[i] - t.decay * w[i]) - change;
  }
}

DL_ISA_CLONES void NadamUpdate(const UpdateTerms& terms, const AdamTerms& rule,
                               const NadamTerms& step, const float* __restrict g, AdamState state,
                               float* __restrict w, int64_t n) {
  const UpdateTerms t = terms;
  const AdamTerms a = rule;
  const NadamTerms s = step;
  float* __restrict m = state.m;
  float* __restrict v = state.v;
  for (int64_t i = 0; i < n; ++i) {
    const float x = Effective(t, g[i], w[i]);
    AddToMoments(a, x, m[i], v[i]);
    const float change = (s.of_m * m[i] + s.of_gradient * x) /
                         (__builtin_sqrtf(v[i]) * a.root_correction + a.epsilon);
    w[i] = (w[i] - t.decay * w[i]) - change;
  }
}

DL_ISA_CLONES void AdaMaxUpdate(const UpdateTerms& terms, const AdamTerms& rule,
                                const float* __restrict g, AdaMaxState state, float* __restrict w,
                                int64_t n) {
  const UpdateTerms t = terms;
  const AdamTerms a = rule;
  float* __restrict m = state.m;
  float* __restrict u = state.u;
  for (int64_t i = 0; i < n; ++i) {
    const float x = Effective(t, g[i], w[i]);
    m[i] = a.beta1 * m[i] + a.rest1 * x;
    const float faded = a.beta2 * u[i], magnitude = __builtin_fabsf(x);
    u[i] = magnitude > faded ? magnitude : faded;
    w[i] = (w[i] - t.decay * w[i]) - a.step_size * m[i] / (u[i] + a.epsilon);
  }
}

}  // namespace dl::nn
