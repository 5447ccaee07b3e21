// The parameters of nn/conf/layers/batch_norm.h, and the update of its running moments in a step.
#pragma once

#include <string>

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

struct BatchNormParameters {
  ParameterId gamma = -1, beta = -1, mean = -1, variance = -1;

  // Claims the parameters of the layer with this name, [channels] each.
  Status Plan(PlanBuilder& builder, const std::string& layer, int64_t channels);
};

struct BatchNormMoments {
  const float* mean = nullptr;
  const float* variance = nullptr;
};
struct RunningMoments {
  float* mean = nullptr;
  float* variance = nullptr;
  int64_t channels = 0;
  double decay = 0;  // share of the old value that a step keeps

  // Moves the running moments towards the moments of the batch.
  void Take(const BatchNormMoments& batch) const;
};

}  // namespace dl::nn
