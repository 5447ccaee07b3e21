// Update steps whose length depends on norms of the whole tensor. The first function of each pair
// overwrites the gradient with the vector whose norm is needed. The second function makes the step.
// The caller computes the norms in between. Each value is computed separately, as in
// nn/kernels/updates.h.
#pragma once

#include <cstdint>

#include "nn/kernels/updates.h"

namespace dl::nn {

// g = clamp(g, -gradient_bound, gradient_bound) * gradient_scale
void ClipGradient(const UpdateTerms& terms, float* g, int64_t n);
// v = mu v + rate (g + l2 w);  w -= decay w + v. g is already clipped. `rate` is the learning rate
// times the tensor's ratio.
void LarsUpdate(const UpdateTerms& terms, MomentumTerms rule, float rate, const float* g, float* v,
                float* w, int64_t n);

// Overwrites g with Adam's step for a rate of 1, plus weight decay: step_size m / (sqrt(v)
// root_correction + epsilon) + weight_decay w. m and v as in Adam.
void LambDirection(const UpdateTerms& terms, const AdamTerms& rule, float weight_decay, float* g,
                   AdamState state, const float* w, int64_t n);
// w -= rate g
void StepAlong(const float* g, float rate, float* w, int64_t n);

}  // namespace dl::nn
