// What an evaluation says of a model beyond its loss: the figures that suit what it predicts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "dataset/batch_reader.h"
#include "dataset/schema.h"
#include "nn/conf/layers/output.h"
#include "nn/metrics/binary_report.h"
#include "nn/metrics/class_report.h"
#include "nn/metrics/metric_sums.h"
#include "nn/metrics/number_report.h"

namespace dl::launch {

// Minibatch by minibatch, in the order of the examples; not thread-safe.
class EvaluationReport {
 public:
  EvaluationReport(const nn::Output& output, const dataset::Schema& schema);

  // For Network::EvaluateInto.
  nn::MetricSums& sums() { return sums_; }
  // What the network said of `batch`.
  void Add(const dataset::Minibatch& batch, std::span<const float> predictions);

  // The object that EvaluateCheckpoint describes, without the contract. REQUIRES: an example.
  Json ToJson() const;

 private:
  void DescribeClasses(const nn::ClassReport& report, Json& json) const;

  const std::vector<std::string> class_names_;
  const bool judges_steps_, judges_pixels_;
  nn::MetricSums sums_;
  // One of them; none of a model that is compared with what it read.
  std::optional<nn::ClassReport> classes_;
  std::optional<nn::BinaryReport> answers_;
  std::optional<nn::NumberReport> numbers_;
};

}  // namespace dl::launch
