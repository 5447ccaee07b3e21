// The parameters of nn/conf/layers/batch_norm.h, and what a step makes of its running moments.
#pragma once

#include <string>

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

struct BatchNormParameters {
  ParameterId gamma = -1, beta = -1, mean = -1, variance = -1;

  // Claims those of the layer of this name, [channels] each.
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
  double decay = 0;  // share that a step keeps

  void Take(const BatchNormMoments& batch) const;
};

}  // namespace dl::nn
