// Steps of the update rules that divide each value's step by a function of its earlier gradients.
// The gradient g, the gradient g' that rules use, and the subtraction of UpdateTerms::decay * w are
// as in nn/kernels/updates.h. lr is UpdateTerms::learning_rate. All arrays have n values. w and the
// state of a rule are updated in place.
#pragma once

#include <cstdint>

#include "nn/kernels/updates.h"

namespace dl::nn {

// s += g'^2;  w -= lr g' / (sqrt(s) + epsilon)
void AdaGradUpdate(const UpdateTerms& terms, float epsilon, const float* g, float* s, float* w,
                   int64_t n);

// Terms of a moving average of squared gradients. In the formulas below, `decay` is this decay.
struct SquaresTerms {
  float decay = 0, rest = 1;  // rest is 1 - decay, computed in double
  float epsilon = 0;
};
// s = decay s + rest g'^2;  w -= lr g' / (sqrt(s) + epsilon)
void RmsPropUpdate(const UpdateTerms& terms, const SquaresTerms& rule, const float* g, float* s,
                   float* w, int64_t n);
struct RmsPropState {
  float* squares;   // s
  float* momentum;  // v
};
// s = decay s + rest g'^2;  v = momentum v + g' / (sqrt(s) + epsilon);  w -= lr v
void RmsPropMomentumUpdate(const UpdateTerms& terms, const SquaresTerms& rule, float momentum,
                           const float* g, RmsPropState state, float* w, int64_t n);
struct AdaDeltaState {
  float* squares;  // s
  float* changes;  // c
};
// s = decay s + rest g'^2;  d = sqrt(c + epsilon) / sqrt(s + epsilon) g';
// c = decay c + rest d^2;  w -= lr d
void AdaDeltaUpdate(const UpdateTerms& terms, const SquaresTerms& rule, const float* g,
                    AdaDeltaState state, float* w, int64_t n);

struct AmsGradState {
  float* m;
  float* v;
  float* largest_v;
};
// m and v as in Adam;  largest_v = max(largest_v, v);
// w -= step_size m / (sqrt(largest_v) root_correction + epsilon). lr is contained in step_size.
void AmsGradUpdate(const UpdateTerms& terms, const AdamTerms& rule, const float* g,
                   AmsGradState state, float* w, int64_t n);

struct NadamTerms {
  float of_m = 0;         // lr beta1 / (1 - beta1^(t+1)); t counts from 1
  float of_gradient = 0;  // lr (1 - beta1) / (1 - beta1^t)
};
// m and v as in Adam;  w -= (of_m m + of_gradient g') / (sqrt(v) root_correction + epsilon). lr is
// contained in `step`. The rule's step_size is not used.
void NadamUpdate(const UpdateTerms& terms, const AdamTerms& rule, const NadamTerms& step,
                 const float* g, AdamState state, float* w, int64_t n);

struct AdaMaxState {
  float* m;
  float* u;
};
// m = beta1 m + rest1 g';  u = max(beta2 u, |g'|);  w -= step_size m / (u + epsilon). lr is
// contained in step_size.
void AdaMaxUpdate(const UpdateTerms& terms, const AdamTerms& rule, const float* g,
                  AdaMaxState state, float* w, int64_t n);

}  // namespace dl::nn
