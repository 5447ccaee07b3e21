// The engine's side of nn/conf/losses: what a model's loss makes of the rows that its last layer
// computed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "nn/conf/losses/registry.h"
#include "nn/metrics/metric_sums.h"

namespace dl::nn {

// What a minibatch is compared with; which one is set follows from the loss's Labels.
struct Expected {
  // One class for each row; of sequences of classes so many for each example, kNoLabel behind the
  // last one.
  std::span<const int32_t> labels;
  std::span<const float> targets;  // [rows, outputs]
  // Of each row whether it counts, 0 or 1; empty: all do. What is expected of one that does not is
  // not looked at.
  std::span<const uint8_t> counted = {};
  // [rows], the weight of each row's example; empty: all are 1. AddLosses multiplies losses by
  // them. The caller multiplies the gradient by them (ScaleRows). Both stay means over the number
  // of rows that count, whatever they weigh: Keras's sample_weight with the reduction
  // sum_over_batch_size, sum_i(w_i l_i) / n
  // (https://keras.io/api/losses/#standalone-usage-of-losses).
  std::span<const float> weights = {};
  // Of a part of a minibatch: how many rows of the whole one count, or how many examples, where
  // these are what counts. 0: these are all.
  int64_t counted_of_all = 0;
  double weight = 1;  // of its gradient, where it is one of several losses

  bool Counts(int64_t row) const { return counted.empty() || counted[row] != 0; }
  // `loss` of a row, times the row's weight. 0 for a weight of 0, whatever the loss is.
  double Weighted(int64_t row, double loss) const {
    if (weights.empty()) return loss;
    return weights[row] == 0 ? 0 : static_cast<double>(weights[row]) * loss;
  }
  // Of the `most` rows of an example from `first` on those before its end.
  int64_t StepsFrom(int64_t first, int64_t most) const {
    int64_t steps = 0;
    while (steps < most && Counts(first + steps)) ++steps;
    return steps;
  }
  // How many of these `rows` count.
  int64_t CountedOf(int64_t rows) const {
    return counted.empty() ? rows : std::ranges::count(counted, 1);
  }
};

struct Outputs {
  float* values = nullptr;  // [rows, outputs], plain
  int64_t rows = 0, outputs = 0;
  int64_t steps = 1;  // rows of an example

  int64_t examples() const { return rows / steps; }
};

// One caller at a time; no call allocates after the first. REQUIRES of all calls: outputs of a
// layer that the config takes, and what CheckExpected lets through.
class Loss {
 public:
  virtual ~Loss() = default;

  // Turns what the last layer computed into predictions, in place: softmax for cross-entropy,
  // nothing where the loss has no function of its own.
  virtual void Predict(const Outputs& y) const;

  // Like Predict, and adds to `sums` the weighted loss of each thing that it counts, one AddLoss
  // for each; here that are the rows that count: examples, or the steps of all of them. Where
  // classes are told apart, also what each was predicted as.
  virtual void AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const = 0;

  // Sets `gradient`, [rows, outputs], to the gradient by what the last layer computed of the mean
  // over what AddLosses counts in the whole minibatch. It has the weight of the output, but not
  // those of the examples. REQUIRES: `y` has the predictions that AddLosses left. The gradient of
  // rows that do not count is unspecified; the caller must clear it.
  virtual void Gradient(const Outputs& y, const Expected& expected, float* gradient) const = 0;
};

// What one of `values` for each row that counts is of the weighted mean over them, in the whole
// minibatch; 0 where no row does.
double ShareOf(const Outputs& y, const Expected& expected, int64_t values = 1);

// Multiplies each row of `gradient`, [rows, outputs], by its weight. Rows of weight 0 become 0.
void ScaleRows(std::span<const float> weights, int64_t outputs, float* gradient);

std::unique_ptr<const Loss> MakeLoss(const LossConf& conf);

}  // namespace dl::nn
