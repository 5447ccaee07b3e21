// The losses of nn/conf/loss.h over plain rows: predictions and metrics, and the gradient of the
// minibatch's mean.
#pragma once

#include <cstdint>
#include <span>

#include "nn/conf/loss.h"
#include "nn/metrics/metric_sums.h"

namespace dl::nn {

// What a batch is compared with; which one is set follows from the loss.
struct Expected {
  std::span<const int32_t> labels;  // one class for each row
  std::span<const float> targets;   // [rows, outputs]
};

struct Outputs {
  float* values = nullptr;  // [rows, outputs], plain
  int64_t rows = 0, outputs = 0;
};

// Turns what the last layer computed into predictions, in place: softmax for cross-entropy, nothing
// else.
void Predict(LossKind kind, const Outputs& y);

// Like Predict, and adds every row's loss (and class) to `sums`.
void AddLosses(LossKind kind, const Outputs& y, const Expected& expected, MetricSums& sums);

// The mean loss's gradient by what the last layer computed, from the predictions left by AddLosses.
void LossGradient(LossKind kind, const Outputs& y, const Expected& expected, float* gradient);

}  // namespace dl::nn
