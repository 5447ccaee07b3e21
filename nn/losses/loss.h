// Implements nn/conf/losses: computes predictions, losses and gradients from the rows of an output.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/functional/function_ref.h"
#include "nn/conf/losses/loss_registry.h"
#include "nn/metrics/metric_sums.h"

namespace dl::nn {

// The labels, targets and weights that a minibatch is compared with. The loss's Labels decide which
// member is set.
struct Expected {
  // [rows]: a class for each row. For sequences of classes: [examples, n], with n the same for all
  // examples. kNoLabel fills the entries after the last class of an example.
  std::span<const int32_t> labels;
  std::span<const float> targets;  // [rows, outputs]
  // [rows]: 1 if the row counts, 0 if not. Empty means that all rows count. The labels and targets
  // of rows that do not count have no effect.
  std::span<const uint8_t> counted = {};
  // [rows]: the weight of each row's example. Empty means that all weights are 1. AddLosses
  // multiplies losses by the weights. The caller of Gradient multiplies the gradient by them
  // (ScaleRows). Means are still divided by the number of rows that count, not by the sum of their
  // weights. This is Keras's sample_weight with the reduction
  // sum_over_batch_size, sum_i(w_i l_i) / n
  // (https://keras.io/api/losses/#standalone-usage-of-losses).
  std::span<const float> weights = {};
  // Number of rows of the whole minibatch that count, or of examples if the loss counts examples. 0
  // means that the rows given here are the whole minibatch.
  int64_t counted_of_all = 0;
  double weight = 1;  // the output's loss_weight: multiplies the gradient, but not the losses

  bool Counts(int64_t row) const { return counted.empty() || counted[row] != 0; }
  double WeightOf(int64_t row) const { return weights.empty() ? 1 : weights[row]; }
  // Returns `loss` times the row's weight. A weight of 0 gives 0, even if the loss is NaN.
  double Weighted(int64_t row, double loss) const {
    if (weights.empty()) return loss;
    return weights[row] == 0 ? 0 : static_cast<double>(weights[row]) * loss;
  }
  // Returns how many of the `most` rows of an example, which begin at row `first`, precede the
  // first row that does not count. For a sequence of classes, this is its number of steps.
  int64_t StepsFrom(int64_t first, int64_t most) const {
    int64_t steps = 0;
    while (steps < most && Counts(first + steps)) ++steps;
    return steps;
  }
  // Returns how many rows count, if there are `rows` rows.
  int64_t CountedOf(int64_t rows) const {
    return counted.empty() ? rows : std::ranges::count(counted, 1);
  }
};

struct Outputs {
  float* values = nullptr;  // plain array [rows, outputs]
  int64_t rows = 0, outputs = 0;
  int64_t steps = 1;  // rows per example

  int64_t examples() const { return rows / steps; }
};

// Not thread-safe. A call allocates only if it has more data than all calls before, and for a
// confusion matrix in the sums of the caller. REQUIRES for all calls: outputs of a layer that the
// config accepts, and data that CheckExpected accepts.
class Loss {
 public:
  virtual ~Loss() = default;

  // Turns the outputs of the output layer into predictions, in place. Softmax for cross-entropy;
  // does nothing for a loss without a link function.
  virtual void Predict(const Outputs& y) const;

  // Does the same as Predict. Also adds to `sums` one weighted loss (AddLoss) for each counted row:
  // for each example, or for each step of each example. CTC adds one for each example. Losses of
  // classes also add the predicted class, with the row's weight (AddPrediction). So does binary
  // cross-entropy with a single output, for rows whose target is 0 or 1. CTC adds the prediction 1
  // for the label 1 if the whole sequence is correct, otherwise 0. REQUIRES: `sums` has sums of
  // weights if `expected` has weights.
  virtual void AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const = 0;

  // Sets `gradient`, [rows, outputs], to the gradient of the mean loss with respect to the outputs
  // of the layer. The mean is over everything that AddLosses counts in the whole minibatch. The
  // gradient includes the weight of the output, but not the weights of examples. The gradient of
  // rows that do not count is unspecified; the caller must clear it. REQUIRES: `y` holds the
  // predictions that AddLosses wrote.
  virtual void Gradient(const Outputs& y, const Expected& expected, float* gradient) const = 0;

  // Returns whether the loss implements AddLossesInPlace.
  virtual bool WorksInPlace() const { return false; }
  // Does the same as AddLosses and Gradient, bit for bit, in one pass over each row: the outputs
  // become the gradient. The gradient of rows that do not count is unspecified. Calls `done` with
  // the index of each row, in ascending order, when the row is final. `done` may overwrite this row
  // and the rows before it. REQUIRES: WorksInPlace().
  using RowDone = absl::FunctionRef<void(int64_t row)>;
  virtual void AddLossesInPlace(const Outputs& y, const Expected& expected, MetricSums& sums,
                                RowDone done) const;
};

// Returns the factor of one value in the output's weighted mean over the whole minibatch, if each
// counted row has `values` values: Expected::weight / (number of counted rows * values). Returns 0
// if no row counts.
double ShareOf(const Outputs& y, const Expected& expected, int64_t values = 1);

// Multiplies each row of `gradient`, [rows, outputs], by its weight. Rows of weight 0 become 0.
void ScaleRows(std::span<const float> weights, int64_t outputs, float* gradient);

// Returns the implementation of the loss that `conf` describes.
std::unique_ptr<const Loss> MakeLoss(const LossConf& conf);

}  // namespace dl::nn
