// Applies the update rules of nn/conf/updaters to the tensors of a network: steps 1 to 6 of the
// list in nn/conf/model_config.h. The caller computes the norms, and applies step 7, the
// constraints of weights. The threads of the caller's ComputeScope (nn/backend/compute_scope.h)
// share the work on a tensor. Thread-safe for different tensors, and for different parts of a
// tensor.
#pragma once

#include <array>
#include <cstdint>

#include "nn/conf/model_config.h"
#include "nn/kernels/index_range.h"

namespace dl::nn {

// A parameter tensor and its gradient, state and coefficients. All arrays have the same layout,
// so a step is elementwise.
struct UpdateTensors {
  float* weights = nullptr;
  float* gradient = nullptr;                      // L1 and some rules overwrite it
  std::array<float*, kMaxUpdaterStates> state{};  // in the order of kStateNames
  int64_t floats = 0;
  double l1 = 0, l2 = 0, weight_decay = 0;
  double learning_rate_factor = 1;
  double gradient_scale = 1;  // from normalization by layer or by tensor
  double trust_ratio = 1;     // from TrustRatio

  // Returns some of the tensor's values.
  UpdateTensors Slice(IndexRange range) const {
    UpdateTensors slice = *this;
    slice.floats = range.size();
    slice.weights += range.begin;
    slice.gradient += range.begin;
    for (float*& values : slice.state) {
      if (values != nullptr) values += range.begin;
    }
    return slice;
  }
};

// Values that are the same for all tensors of a step.
struct UpdateStep {
  double learning_rate = 0;
  int64_t update_count = 1;   // number of this update, from 1
  double gradient_scale = 1;  // from clipping by norm
};

// Updates the weights and the state of one tensor. The gradient may be overwritten. Allocates
// nothing. REQUIRES: if NeedsTensorNorms(model.updater), PrepareUpdate was called for this step and
// tensors.trust_ratio is set.
void ApplyUpdate(const ModelConfig& model, const UpdateStep& step, const UpdateTensors& tensors);

// Returns whether a gradient of 0 leaves a weight and its state unchanged, bit for bit, except that
// subnormal values become 0. Assumes that L1, L2 and weight decay are 0.
bool ZerosChangeNothing(const UpdaterConf& updater);

// For a rule that uses norms of tensors (NeedsTensorNorms in nn/conf/gradient_norms.h): overwrites
// `gradient` with the vector whose norm the rule needs. For LAMB, also updates the state. The
// caller then computes the norms, and sets UpdateTensors::trust_ratio before ApplyUpdate. Does
// nothing for other rules.
void PrepareUpdate(const ModelConfig& model, const UpdateStep& step, const UpdateTensors& tensors);
// Norms of a tensor's weights, and of its gradient after PrepareUpdate.
struct TensorNorms {
  double weights = 0, prepared = 0;
};
// Returns the trust ratio of a tensor, or 1 if one of its norms is 0. `l2` is the tensor's
// coefficient, which only LARS uses. REQUIRES: NeedsTensorNorms(updater).
double TrustRatio(const UpdaterConf& updater, const TensorNorms& norms, double l2);

// Returns the factor of clipping by norm, for UpdateStep::gradient_scale: c / |g| if |g| > c > 0,
// otherwise 1. c is model.clip_gradients_by_norm. `sum_of_squares` is |g|^2, over all parameters
// that are not frozen, after clipping by value and normalization.
double NormClipScale(const ModelConfig& model, double sum_of_squares);
// Returns the factor by which `model.gradient_normalization` scales the gradient of one layer or
// tensor, for UpdateTensors::gradient_scale. `sum_of_squares` is the sum of squares of that
// gradient, after clipping by value. 1 if nothing is normalized.
double NormalizationScale(const ModelConfig& model, double sum_of_squares);

}  // namespace dl::nn
