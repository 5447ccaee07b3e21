// The minibatches of measured steps: random examples and labels that fit a model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/conf/step_cost.h"
#include "nn/network.h"

namespace dl::speed {

// Several minibatches, which steps use in turn.
class StepData {
 public:
  static constexpr int64_t kMinibatches = 4;

  // Sequences have their full length. `size.labelled`, the share of rows with a label, is used only
  // if the label of a row is a class. Otherwise all rows have labels.
  StepData(const nn::ModelConfig& model, const nn::StepSize& size);

  // Returns the number of bytes of the features and labels of an object with these arguments. The
  // lengths of sequences, 4 bytes for each example, are not included.
  static int64_t BytesOf(const nn::ModelConfig& model, const nn::StepSize& size);

  // Returns the minibatch of a step. Valid as long as this object.
  nn::Minibatch Of(int64_t step) const;
  const std::vector<float>& features() const { return features_; }  // of all minibatches
  // Classes of all minibatches, nn::kNoLabel for rows without one. Empty if the model is compared
  // with its input or with numbers.
  const std::vector<int32_t>& labels() const { return labels_; }
  const std::vector<float>& targets() const { return targets_; }  // numbers of all minibatches

 private:
  int64_t batch_;
  std::vector<float> features_, targets_;
  std::vector<int32_t> labels_, lengths_;
};

}  // namespace dl::speed
