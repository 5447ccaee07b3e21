// The minibatches of a measured model: random examples and labels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/steps/measured_models.h"
#include "nn/network.h"

namespace dl::bench {

// Several minibatches, which steps use in turn.
class StepData {
 public:
  static constexpr int64_t kMinibatches = 4;

  StepData(const BenchTask& task, const nn::ModelConfig& model);

  // Returns the minibatch of a step. Valid as long as this object.
  nn::Minibatch Of(int64_t step) const;
  const std::vector<float>& features() const { return features_; }  // of all minibatches
  // Labels of all minibatches, nn::kNoLabel for rows without one. Empty if the model reconstructs
  // its input.
  const std::vector<int32_t>& labels() const { return labels_; }

 private:
  int64_t batch_;
  std::vector<float> features_;
  std::vector<int32_t> labels_;
};

}  // namespace dl::bench
