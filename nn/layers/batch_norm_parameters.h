// Parameters of a batch norm layer (nn/conf/layers/batch_norm.h), and the update of its running
// moments in a training step. Not thread-safe.
#pragma once

#include <string>

#include "nn/layers/compiled_layer.h"

namespace dl::nn {

// Ids of the layer's parameters. All are -1 before Plan.
struct BatchNormParameters {
  ParameterId gamma = -1, beta = -1, mean = -1, variance = -1;

  // Finds the segments LAYER.gamma, LAYER.beta, LAYER.mean and LAYER.variance of the model, claims
  // them for the layer, and sets the ids. Each segment has `channels` values. Returns Internal if
  // the model lacks a segment, a size differs, or another layer has claimed it.
  Status Plan(PlanBuilder& builder, const std::string& layer, int64_t channels);
};

// Mean and biased variance of a minibatch or micro-batch, [channels] each. Owns no memory.
struct BatchNormMoments {
  const float* mean = nullptr;
  const float* variance = nullptr;
};
// The layer's running moments, [channels] each, in the memory of the model. Owns no memory.
struct RunningMoments {
  float* mean = nullptr;
  float* variance = nullptr;
  int64_t channels = 0;
  double decay = 0;  // share of the old value that a step keeps, 0 to 1

  // Sets each running moment to decay * old + (1 - decay) * batch. Called at most once for each
  // minibatch or micro-batch.
  void Take(const BatchNormMoments& batch) const;
};

}  // namespace dl::nn
