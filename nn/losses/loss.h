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
  // Of a part of a minibatch: how many rows of the whole one count, or how many examples, where
  // these are what counts. 0: these are all.
  int64_t counted_of_all = 0;
  double weight = 1;  // of its gradient, where it is one of several losses

  bool Counts(int64_t row) const { return counted.empty() || counted[row] != 0; }
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

  // Like Predict, and adds to `sums` the loss of each thing that it counts, one AddLoss
  // for each; here that are the rows that count: examples, or the steps of all of them. Where
  // classes are told apart, also what each was predicted as.
  virtual void AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const = 0;

  // Sets `gradient`, [rows, outputs]: that of the weighted mean over what AddLosses counts in the
  // whole minibatch, by what the last layer computed, from the predictions that AddLosses left in
  // `y`. Of rows that do not count it is anything: who asks clears it.
  virtual void Gradient(const Outputs& y, const Expected& expected, float* gradient) const = 0;
};

// What one of `values` for each row that counts is of the weighted mean over them, in the whole
// minibatch; 0 where no row does.
double ShareOf(const Outputs& y, const Expected& expected, int64_t values = 1);

std::unique_ptr<const Loss> MakeLoss(const LossConf& conf);

}  // namespace dl::nn
