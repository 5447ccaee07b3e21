// A network's outputs and their losses: what a minibatch is compared with, what that says of
// predictions, and the gradients with which a backward pass begins.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "nn/conf/model_outputs.h"
#include "nn/execution_plan.h"
#include "nn/losses/loss.h"
#include "nn/metrics/metric_sums.h"
#include "nn/network.h"

namespace dl::nn {

// Not thread-safe. Once made, no call allocates, but for confusion matrices that are asked for.
class JudgedOutputs {
 public:
  // For minibatches of at most `most` examples.
  JudgedOutputs(const ModelConfig& model, int64_t most);

  size_t count() const { return outputs_.size(); }
  // Losses that the last output counts of the minibatch that Expect took.
  int64_t CountedOfMain() const { return outputs_.back().expected.counted_of_all; }
  const Output& conf(size_t output) const { return outputs_[output].model.conf; }
  const Output& main() const { return outputs_.back().model.conf; }

  // Takes what the minibatch is compared with, for the calls below; it has to stay where it is for
  // them. InvalidArgument when it does not fit the outputs: wrong sizes, a label that is no class,
  // a target that a loss does not take.
  Status Expect(const Minibatch& batch);

  // Outputs become predictions, in place.
  void Predict(const ExecutionPlan& plan) const;
  // The same of a part of what is expected, which the plan has computed; and adds to `all` what the
  // last output says of it, with the losses of the others as the share that each row of the last
  // one has in the weighted sum of all means: where the last one counts none, they are not told.
  void AddLosses(const ExecutionPlan& plan, const MicroBatch& part, MetricSums& all) const;
  // The same of all that is expected, and adds to `sums` what each output by itself says, without
  // its weight. REQUIRES: count() sums.
  void AddLosses(const ExecutionPlan& plan, std::span<MetricSums> sums, MetricSums& all) const;
  // Sets the plan's gradients of the sum of all losses. REQUIRES: AddLosses of the same part.
  void SetGradients(const ExecutionPlan& plan, const MicroBatch& part) const;

 private:
  // Adds the numbers and scores that `all` has, of predictions of the last output.
  static void AddFigures(const Outputs& y, const Expected& expected, MetricSums& all);
  struct JudgedOutput {
    ModelOutput model;
    std::unique_ptr<const Loss> loss;
    Expected expected = {};             // of the whole minibatch
    std::vector<uint8_t> counted = {};  // of its rows, where some do not count
    std::vector<float> weights = {};    // of its rows, where an example has several
    // Its part of the labels' rows, where these have more than its own.
    std::vector<int32_t> labels = {};
    std::vector<float> targets = {};
  };
  Status Expect(const Minibatch& batch, JudgedOutput& output) const;
  // Returns the weights of the output's rows, which are those of their examples.
  std::span<const float> WeightsOfRows(const Minibatch& batch, JudgedOutput& output) const;
  Status CutLabels(const Minibatch& batch, JudgedOutput& output) const;
  // What an output adds to the loss of all, by what it said of a part.
  void AddShare(const JudgedOutput& output, const MetricSums& own, MetricSums& all) const;

  LabelForm form_;
  std::vector<JudgedOutput> outputs_;
};

}  // namespace dl::nn
