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
  const float* gradient = nullptr;
  std::array<float*, kMaxUpdaterStates> state{};  // in the order of kStateNames
  int64_t floats = 0;
  double l2 = 0, weight_decay = 0;
};

// What is the same for all tensors of a step.
struct UpdateStep {
  double learning_rate = 0;
  int64_t update_count = 1;   // 1-based
  double gradient_scale = 1;  // from clipping by norm
};

void ApplyUpdate(const ModelConfig& model, const UpdateStep& step, const UpdateTensors& tensors);

// c / |g| when |g| > c, else 1. `sum_of_squares` over all parameters, behind clipping by value.
double NormClipScale(const ModelConfig& model, double sum_of_squares);

}  // namespace dl::nn
