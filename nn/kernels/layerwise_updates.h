// Steps whose length depends on norms of the whole tensor: first what the norm is taken of, in
// place of the gradient, then the step. Each value by itself, as in nn/kernels/updates.h; the norms
// are the caller's.
#pragma once

#include <cstdint>

#include "nn/kernels/updates.h"

namespace dl::nn {

// g = clamp(g, -gradient_bound, gradient_bound) * gradient_scale
void ClipGradient(const UpdateTerms& terms, float* g, int64_t n);
// v = mu v + rate (g + l2 w);  w -= v, of a gradient that is clipped; `rate` is the learning rate
// times the tensor's ratio.
void LarsUpdate(const UpdateTerms& terms, MomentumTerms rule, float rate, const float* g, float* v,
                float* w, int64_t n);

// Adam's step in place of the gradient, for a rate of 1, plus weight_decay w: g becomes
// step_size m / (sqrt(v) root_correction + epsilon) + weight_decay w; m and v as Adam.
void LambDirection(const UpdateTerms& terms, const AdamTerms& rule, float weight_decay, float* g,
                   AdamState state, const float* w, int64_t n);
// w -= rate g
void StepAlong(const float* g, float rate, float* w, int64_t n);

}  // namespace dl::nn
