// Kernels of the updaters: each makes a step on a tensor in one pass over memory. `g` is the
// gradient of the batch's mean loss, with n values. Rules use g' = clamp(g, -gradient_bound,
// gradient_bound) * gradient_scale + l2 * w. Each step also subtracts UpdateTerms::decay * w, with
// w before the step. lr is UpdateTerms::learning_rate. nn/conf/model_config.h and nn/conf/updaters
// have the formulas. Thread-safe for different tensors.
#pragma once

#include <cstdint>
#include <limits>

namespace dl::nn {

struct UpdateTerms {
  float learning_rate = 0;
  float gradient_scale = 1;  // from clipping by norm and normalization
  float gradient_bound = std::numeric_limits<float>::infinity();  // clipping by value
  float l2 = 0;
  float decay = 0;  // learning rate times decoupled weight decay
};

// g = clamp(g, -gradient_bound, gradient_bound) * gradient_scale + l1 sign(w), in place. sign(0) is
// 0. Functions that follow in the step must get an infinite gradient_bound and a gradient_scale of
// 1.
void AddL1(const UpdateTerms& terms, float l1, float* g, const float* w, int64_t n);

void SgdUpdate(const UpdateTerms& terms, const float* g, float* w, int64_t n);  // w -= lr g'

struct MomentumTerms {
  float momentum = 0;
};
// v = mu v + g';  w -= lr v
void MomentumUpdate(const UpdateTerms& terms, MomentumTerms rule, const float* g, float* v,
                    float* w, int64_t n);
// v = mu v + g';  w -= lr (g' + mu v)
void NesterovUpdate(const UpdateTerms& terms, MomentumTerms rule, const float* g, float* v,
                    float* w, int64_t n);

struct AdamTerms {
  float beta1 = 0, beta2 = 0;
  float rest1 = 1, rest2 = 1;  // 1 - beta, computed in double
  float epsilon = 0;
  float step_size = 0;        // lr / (1 - beta1^t)
  float root_correction = 1;  // 1 / sqrt(1 - beta2^t)
};
// m = beta1 m + rest1 g';  v = beta2 v + rest2 g'^2; w -= step_size m / (sqrt(v) root_correction +
// epsilon)
struct AdamState {
  float* m;
  float* v;
};
void AdamUpdate(const UpdateTerms& terms, const AdamTerms& rule, const float* g, AdamState state,
                float* w, int64_t n);

}  // namespace dl::nn
