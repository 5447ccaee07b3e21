// Applies the update rules of nn/conf/updaters to the tensors of a network, in the order of steps
// that nn/conf/model_config.h describes.
#pragma once

#include <array>
#include <cstdint>

#include "nn/conf/model_config.h"

namespace dl::nn {

// A parameter tensor and its gradient, state and coefficients. All arrays have the same layout,
// so a step is elementwise.
struct UpdateTensors {
  float* weights = nullptr;
  float* gradient = nullptr;                      // some rules overwrite it
  std::array<float*, kMaxUpdaterStates> state{};  // in the order of kStateNames
  int64_t floats = 0;
  double l1 = 0, l2 = 0, weight_decay = 0;
  double learning_rate_factor = 1;
  double gradient_scale = 1;  // from normalization by layer or by tensor
  double trust_ratio = 1;     // for rules that use the norms of tensors
};

// Values that are the same for all tensors of a step.
struct UpdateStep {
  double learning_rate = 0;
  int64_t update_count = 1;   // counts from 1
  double gradient_scale = 1;  // from clipping by norm
};

// Updates the weights and the state of one tensor. Allocates nothing.
void ApplyUpdate(const ModelConfig& model, const UpdateStep& step, const UpdateTensors& tensors);

// Returns whether the rule, without L1, L2 and weight decay, leaves a value whose gradient is 0 and
// its state unchanged, bit for bit. A step still changes subnormal values to 0.
bool ZerosChangeNothing(const UpdaterConf& updater);

// For rules that use the norms of each tensor (LARS, LAMB). Before ApplyUpdate, PrepareUpdate
// overwrites `gradient` with the vector whose norm the rule needs. TrustRatio computes the ratio
// that ApplyUpdate uses from the norm of the weights and the norm of that vector. It is 1 if one of
// these is 0. `l2` is the tensor's, and only LARS uses it. For LAMB, PrepareUpdate also updates the
// state. For other rules it does nothing.
bool NeedsTensorNorms(const UpdaterConf& updater);
void PrepareUpdate(const ModelConfig& model, const UpdateStep& step, const UpdateTensors& tensors);
struct TensorNorms {
  double weights = 0, prepared = 0;
};
double TrustRatio(const UpdaterConf& updater, const TensorNorms& norms, double l2);

// Returns c / |g| if |g| > c > 0, otherwise 1. c is clip_gradients_by_norm. `sum_of_squares` is
// |g|^2, over all parameters that are not frozen, after clipping by value and normalization.
double NormClipScale(const ModelConfig& model, double sum_of_squares);
// Returns the factor by which `model.gradient_normalization` scales the gradient of one layer or
// tensor, whose sum of squares is given. 1 if nothing is normalized.
double NormalizationScale(const ModelConfig& model, double sum_of_squares);

}  // namespace dl::nn
