// Steps of the update rules that divide by earlier gradients, for each value separately. g' and the
// decay are defined by UpdateTerms, as in nn/kernels/updates.h.
#pragma once

#include <cstdint>

#include "nn/kernels/updates.h"

namespace dl::nn {

// s += g'^2;  w -= lr g' / (sqrt(s) + epsilon)
void AdaGradUpdate(const UpdateTerms& terms, float epsilon, const float* g, float* s, float* w,
                   int64_t n);

struct SquaresTerms {
  float decay = 0, rest = 1;  // rest is 1 - decay, computed in double
  float epsilon = 0;
};
// s = decay s + rest g'^2;  w -= lr g' / (sqrt(s) + epsilon)
void RmsPropUpdate(const UpdateTerms& terms, const SquaresTerms& rule, const float* g, float* s,
                   float* w, int64_t n);
// The same with  v = momentum v + g' / (sqrt(s) + epsilon);  w -= lr v
struct RmsPropState {
  float* squares;
  float* momentum;
};
void RmsPropMomentumUpdate(const UpdateTerms& terms, const SquaresTerms& rule, float momentum,
                           const float* g, RmsPropState state, float* w, int64_t n);
// s = decay s + rest g'^2;  d = sqrt(c + epsilon) / sqrt(s + epsilon) g';
// c = decay c + rest d^2;  w -= lr d
struct AdaDeltaState {
  float* squares;
  float* changes;
};
void AdaDeltaUpdate(const UpdateTerms& terms, const SquaresTerms& rule, const float* g,
                    AdaDeltaState state, float* w, int64_t n);

// As Adam, but the denominator uses the largest v so far.
struct AmsGradState {
  float* m;
  float* v;
  float* largest_v;
};
void AmsGradUpdate(const UpdateTerms& terms, const AdamTerms& rule, const float* g,
                   AmsGradState state, float* w, int64_t n);

struct NadamTerms {
  float of_m = 0;         // lr beta1 / (1 - beta1^(t+1)), t counts from 1
  float of_gradient = 0;  // lr (1 - beta1) / (1 - beta1^t)
};
// m and v as in Adam;  w -= (of_m m + of_gradient g') / (sqrt(v) root_correction + epsilon). The
// rule's step_size is not used.
void NadamUpdate(const UpdateTerms& terms, const AdamTerms& rule, const NadamTerms& step,
                 const float* g, AdamState state, float* w, int64_t n);

// m = beta1 m + rest1 g';  u = max(beta2 u, |g'|);  w -= step_size m / (u + epsilon)
struct AdaMaxState {
  float* m;
  float* u;
};
void AdaMaxUpdate(const UpdateTerms& terms, const AdamTerms& rule, const float* g,
                  AdaMaxState state, float* w, int64_t n);

}  // namespace dl::nn
