// Applies the rules of nn/conf/updaters, in the order of nn/conf/model_config.h, to the tensors of
// a network.
#pragma once

#include <array>
#include <cstdint>

#include "nn/conf/model_config.h"

namespace dl::nn {

// One parameter tensor and what belongs to it, all in one layout, so that a step is elementwise.
struct UpdateTensors {
  float* weights = nullptr;
  float* gradient = nullptr;  // overwritten by steps that need it in another form
  std::array<float*, kMaxUpdaterStates> state{};  // in the order of kStateNames
  int64_t floats = 0;
  double l1 = 0, l2 = 0, weight_decay = 0;
  double learning_rate_factor = 1;
  double gradient_scale = 1;  // from normalization by layers or tensors
  double trust_ratio = 1;     // of rules that go by the norms of tensors
};

// What is the same for all tensors of a step.
struct UpdateStep {
  double learning_rate = 0;
  int64_t update_count = 1;   // 1-based
  double gradient_scale = 1;  // from clipping by norm
};

void ApplyUpdate(const ModelConfig& model, const UpdateStep& step, const UpdateTensors& tensors);

// Whether a rule, without L1, L2 and weight decay, leaves a value whose gradient is 0 as it was,
// bit for bit, and its state with it.
bool ZerosChangeNothing(const UpdaterConf& updater);

// Rules whose steps go by the norms of each tensor (LARS, LAMB): before ApplyUpdate, PrepareUpdate
// leaves in `gradient` what the second norm is taken of, and TrustRatio makes of both norms what
// ApplyUpdate takes. For other rules PrepareUpdate does nothing.
bool NeedsTensorNorms(const UpdaterConf& updater);
void PrepareUpdate(const ModelConfig& model, const UpdateStep& step, const UpdateTensors& tensors);
struct TensorNorms {
  double weights = 0, prepared = 0;
};
double TrustRatio(const UpdaterConf& updater, const TensorNorms& norms, double l2);

// c / |g| when |g| > c, else 1. `sum_of_squares` over all parameters, behind clipping by value.
double NormClipScale(const ModelConfig& model, double sum_of_squares);
// What `model.gradient_normalization` makes of the gradient of one layer, or of one tensor.
double NormalizationScale(const ModelConfig& model, double sum_of_squares);

}  // namespace dl::nn
