// Compares a network's outputs with the labels of a minibatch: computes losses, metrics,
// predictions, and the gradients with which the backward pass begins.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "nn/conf/model_outputs.h"
#include "nn/counted_rows.h"
#include "nn/execution_plan.h"
#include "nn/kernels/index_range.h"
#include "nn/losses/loss.h"
#include "nn/metrics/metric_sums.h"
#include "nn/network.h"
#include "nn/pass_switches.h"

namespace dl::nn {

// Not thread-safe. Memory for rows is allocated when a minibatch first needs it, and kept for later
// minibatches. Confusion matrices, scores and weights of metrics allocate in each minibatch.
class OutputLosses {
 public:
  // `most` is the largest number of examples in a minibatch.
  OutputLosses(const ModelConfig& model, int64_t most, const PassSwitches& passes);

  size_t count() const { return outputs_.size(); }
  // Returns the number of losses that the last output counts in the minibatch of the last Expect.
  int64_t CountedOfMain() const { return outputs_.back().expected.counted_of_all; }
  const Output& conf(size_t output) const { return outputs_[output].model.conf; }
  const Output& main() const { return outputs_.back().model.conf; }

  // Sets the labels, targets and weights for the calls below. The memory of `batch` must stay valid
  // for these calls. Returns InvalidArgument if they do not fit the outputs: wrong sizes, a label
  // that is not a class, a target that a loss does not accept. REQUIRES: at most as many examples
  // as the constructor's `most`.
  Status Expect(const Minibatch& batch);

  // Decides which rows of each output a training step computes for a micro-batch of the minibatch
  // of the last Expect. These are all rows if most rows count (CapacityFor in nn/counted_rows.h),
  // or if the output cannot compute only some rows (nn/layers/counted_rows_only.h).
  void SelectRows(const MicroBatch& part);
  // Returns the rows that SelectRows selected. The address never changes.
  const CountedRows& selected() const { return selected_; }
  // Returns for each output whether its loss works in place in training (Loss::WorksInPlace).
  std::vector<bool> WorkInPlace() const;

  // Turns outputs into predictions, in place.
  void Predict(const ExecutionPlan& plan) const;
  // Turns the outputs of one micro-batch, which the plan has computed, into predictions, and adds
  // to `all` the losses and metrics of the last output. The losses of the other outputs are added
  // without metrics: each is scaled such that the mean of `all` is the weighted sum of the outputs'
  // means. If the last output counts no row of the minibatch, the losses of the other outputs are
  // not added. If the plan has an output's gradient in place, the outputs become the gradient
  // instead of predictions. REQUIRES in this case: `all` has no numbers or scores.
  void AddLosses(const ExecutionPlan& plan, const MicroBatch& part, MetricSums& all) const;
  // Does the same for the whole minibatch, but adds no confusion matrix, numbers or scores to
  // `all`. Also adds to `sums[i]` the losses and predicted classes of output i, without its weight,
  // but no numbers or scores. REQUIRES: sums.size() == count(); `all` has no confusion matrix.
  void AddLosses(const ExecutionPlan& plan, std::span<MetricSums> sums, MetricSums& all) const;
  // Sets the plan's loss gradients, of the weighted sum of all outputs' mean losses. REQUIRES:
  // AddLosses was called for the same micro-batch. This function and AddLosses REQUIRE the result
  // of SelectRows for this micro-batch if the plan computes only selected rows.
  void SetGradients(const ExecutionPlan& plan, const MicroBatch& part) const;

 private:
  // Add the numbers or the scores of the predictions of the last output. REQUIRES: `all` collects
  // them.
  static void AddNumbers(const Outputs& y, const Expected& expected, MetricSums& all);
  static void AddScores(const Outputs& y, const Expected& expected, MetricSums& all);
  struct OutputLoss {
    ModelOutput model;
    std::unique_ptr<const Loss> loss;
    Expected expected = {};             // for the whole minibatch
    std::vector<uint8_t> counted = {};  // for each row, whether it counts; unused if all rows count
    std::vector<float> weights = {};    // for each row; used if an example has several rows
    // This output's columns of the labels, used if several outputs share the rows of labels.
    std::vector<int32_t> labels = {};
    std::vector<float> targets = {};
    bool may_select = false;      // whether steps may compute only rows that count
    bool works_in_place = false;  // in training
    // For the selected rows of a micro-batch; `expected` refers to the vectors.
    struct Selected {
      Expected expected = {};
      std::vector<int32_t> labels = {};
      std::vector<float> targets = {}, weights = {};
    };
    Selected selected = {};
  };
  // Copies the labels, targets and weights of the rows that count.
  void CopySelected(size_t output, const Expected& part);
  // Makes the gradient of some rows final: clears rows that do not count, multiplies the others by
  // their weights, and rounds them if the plan wants it.
  static void FinishGradient(const ExecutionPlan& plan, size_t output, const Expected& expected,
                             IndexRange rows);
  // Returns what the rows that the plan computes for a micro-batch are compared with.
  Expected ExpectedOf(size_t output, const ExecutionPlan& plan, const MicroBatch& part) const;
  Status Expect(const Minibatch& batch, OutputLoss& output) const;
  // Returns the weight of each row of the output, which is the weight of the row's example.
  std::span<const float> WeightsOfRows(const Minibatch& batch, OutputLoss& output) const;
  Status CutLabels(const Minibatch& batch, OutputLoss& output) const;
  // Adds an output's weighted loss to `all`. For the last output, whose loss `all` already
  // contains, adds what the weight changes. `own` holds the output's sums for a micro-batch.
  void AddShare(const OutputLoss& output, const MetricSums& own, MetricSums& all) const;

  LabelForm form_;
  std::vector<OutputLoss> outputs_;
  CountedRows selected_;
};

}  // namespace dl::nn
