// Computes the figures of an evaluation for one output of a model, in addition to its loss. The
// figures depend on what the output predicts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/limits.h"
#include "dataset/batch_reader.h"
#include "dataset/schema.h"
#include "dataset/target_normalizer.h"
#include "nn/conf/model_outputs.h"
#include "nn/metrics/binary_report.h"
#include "nn/metrics/class_report.h"
#include "nn/metrics/metric_sums.h"
#include "nn/metrics/number_report.h"
#include "nn/metrics/sequence_report.h"

namespace dl::inference {

// Minibatches must be added in the order of the examples. Not thread-safe.
class OutputReport {
 public:
  static constexpr int64_t kTop = 5;

  struct Options {
    int64_t top = kTop;  // k of the top-k accuracy, if there are more classes
    // Most classes of a confusion matrix in ToJson. A larger matrix is left out.
    int64_t max_matrix_classes = limits::kMaxConfusionClasses;
    // Normalizer of the targets. Errors of predicted numbers are reported in the unit before
    // normalization.
    dataset::Normalizer target_normalizer = {};
  };
  // `form` describes the labels of all outputs of the model, `schema` those of the data.
  OutputReport(const nn::ModelOutput& output, const nn::LabelForm& form,
               const dataset::Schema& schema, const Options& options);
  OutputReport(const nn::ModelOutput& output, const nn::LabelForm& form,
               const dataset::Schema& schema)
      : OutputReport(output, form, schema, Options{}) {}

  // Returns sums for the network to add to, with a confusion matrix if the number of classes
  // permits it.
  nn::MetricSums EmptySums() const { return nn::MetricSums(confused_classes_); }
  // Adds the predictions of the network for `batch`, [rows, units]. Returns InvalidArgument if
  // several outputs have labels and a label is not a class. REQUIRES: Network::EvaluateInto
  // accepted the batch.
  Status Add(const dataset::Minibatch& batch, std::span<const float> predictions);

  // Returns the object that EvaluateCheckpoint (inference/evaluate.h) describes for one output,
  // without "kernel_contract" and "weight_penalty". `sums` are EmptySums() to which the network has
  // added all minibatches. REQUIRES: at least one example.
  Json ToJson(const nn::MetricSums& sums) const;

 private:
  // Rows of the output: examples, or their steps or pixels.
  struct Rows {
    std::span<const float> predictions;
    std::span<const int32_t> labels;
    std::span<const float> targets;
    std::span<const float> weights;  // empty: each is 1
  };
  void AddRows(const Rows& rows);
  // Returns the weights of the rows of `batch`. Each row has the weight of its example.
  std::span<const float> WeightsOfRows(const dataset::Minibatch& batch);
  void AddSequences(const dataset::Minibatch& batch, std::span<const float> predictions);
  void DescribeClasses(const nn::ClassReport& report, const nn::MetricSums& sums, Json& json) const;
  Json DescribeClass(const nn::MetricSums& sums, int64_t c, int64_t examples) const;

  const nn::ModelOutput output_;
  const bool cut_;             // labels are those of several outputs
  const int64_t row_targets_;  // targets of all outputs together
  std::vector<std::string> class_names_;
  const bool judges_steps_, judges_pixels_;
  const int64_t top_, max_matrix_classes_;
  // For each predicted number: a difference of 1 in the unit of the data.
  std::vector<double> units_;
  int64_t confused_classes_ = 0;
  // At most one of these has a value. None has if the output is compared with the model's input.
  std::optional<nn::ClassReport> classes_;
  std::optional<nn::BinaryReport> answers_;
  std::optional<nn::NumberReport> numbers_;
  std::optional<nn::SequenceReport> sequences_;
  // The part of a minibatch for this output, if labels are those of several outputs.
  std::vector<int32_t> labels_;
  std::vector<float> targets_;
  std::vector<float> weights_;  // of the rows of a minibatch
};

}  // namespace dl::inference
