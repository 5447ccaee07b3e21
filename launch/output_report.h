// What an evaluation says of one output of a model beyond its loss: the figures that suit what it
// predicts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "dataset/batch_reader.h"
#include "dataset/schema.h"
#include "dataset/target_normalizer.h"
#include "nn/conf/model_outputs.h"
#include "nn/metrics/binary_report.h"
#include "nn/metrics/class_report.h"
#include "nn/metrics/metric_sums.h"
#include "nn/metrics/number_report.h"
#include "nn/metrics/sequence_report.h"

namespace dl::launch {

// Minibatch by minibatch, in the order of the examples; not thread-safe.
class OutputReport {
 public:
  static constexpr int64_t kTop = 5;

  struct Options {
    int64_t top = kTop;  // with more classes there is a top-k accuracy for that k
    // What numbers to predict went through. Errors of predicted numbers are reported in the unit
    // that the numbers had before.
    dataset::Normalizer target_normalizer = {};
  };
  // `form`: of all outputs of the model, whose labels `schema` describes.
  OutputReport(const nn::ModelOutput& output, const nn::LabelForm& form,
               const dataset::Schema& schema, const Options& options);
  OutputReport(const nn::ModelOutput& output, const nn::LabelForm& form,
               const dataset::Schema& schema)
      : OutputReport(output, form, schema, Options{}) {}

  // Those that the network's are to be added to: with a confusion matrix where there can be one.
  nn::MetricSums EmptySums() const { return nn::MetricSums(confused_classes_); }
  // What the network said of `batch`. InvalidArgument for a label that is no class.
  Status Add(const dataset::Minibatch& batch, std::span<const float> predictions);

  // The object that EvaluateCheckpoint describes, without the contract. REQUIRES: an example.
  Json ToJson(const nn::MetricSums& sums) const;

 private:
  // Rows of the output: examples, or steps or pixels of them.
  struct Rows {
    std::span<const float> predictions;
    std::span<const int32_t> labels;
    std::span<const float> targets;
    std::span<const float> weights;  // empty: each is 1
  };
  void AddRows(const Rows& rows);
  // The weights of the rows of `batch`, each as its example's.
  std::span<const float> WeightsOfRows(const dataset::Minibatch& batch);
  void AddSequences(const dataset::Minibatch& batch, std::span<const float> predictions);
  void DescribeClasses(const nn::ClassReport& report, const nn::MetricSums& sums, Json& json) const;
  Json DescribeClass(const nn::MetricSums& sums, int64_t c, int64_t examples) const;

  const nn::ModelOutput output_;
  const bool cut_;             // labels are those of several outputs
  const int64_t row_targets_;  // of all outputs together
  std::vector<std::string> class_names_;
  const bool judges_steps_, judges_pixels_;
  const int64_t top_;
  std::vector<double> units_;  // for each predicted number: a difference of 1, in the data's unit
  int64_t confused_classes_ = 0;
  // One of them; none of an output that is compared with what the model read.
  std::optional<nn::ClassReport> classes_;
  std::optional<nn::BinaryReport> answers_;
  std::optional<nn::NumberReport> numbers_;
  std::optional<nn::SequenceReport> sequences_;
  // Of a minibatch its part, where labels are those of several outputs.
  std::vector<int32_t> labels_;
  std::vector<float> targets_;
  std::vector<float> weights_;  // of the rows of a minibatch
};

}  // namespace dl::launch
