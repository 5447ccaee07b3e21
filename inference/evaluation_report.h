// Builds the report of an evaluation, for one or several outputs of a model.
#pragma once

#include <vector>

#include "base/json_fwd.h"
#include "dataset/batch_reader.h"
#include "dataset/manifest.h"
#include "inference/output_report.h"
#include "nn/network.h"

namespace dl::inference {

// Computes the loss and the other figures of a model over all added minibatches. Minibatches must
// be added in the order of the examples. Not thread-safe.
class EvaluationReport {
 public:
  // `data` is the manifest of the examples. Its normalizer of the targets replaces that of
  // `options`.
  EvaluationReport(const nn::ModelConfig& model, const dataset::Manifest& data,
                   OutputReport::Options options);

  // Evaluates one minibatch and adds its figures. Returns the errors of Network::EvaluateInto and
  // OutputReport::Add. The report must not be used after an error.
  Status Add(const dataset::Minibatch& batch, nn::Network& network);

  // Returns the object that EvaluateCheckpoint (inference/evaluate.h) describes, without
  // "kernel_contract" and "weight_penalty". If there are several outputs and no example has a label
  // of an output, its entry in "by_output" has only "layer", "loss_weight" and "examples".
  // REQUIRES: at least one example was added.
  Json ToJson() const;

 private:
  std::vector<nn::ModelOutput> outputs_;
  std::vector<OutputReport> reports_;  // one per output, like sums_
  std::vector<nn::MetricSums> sums_;
  nn::MetricSums all_;  // over all outputs, computed as in jobs
};

}  // namespace dl::inference
