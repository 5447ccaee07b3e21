// What an evaluation says of a model: of its output, or of each of several.
#pragma once

#include <vector>

#include "base/json_fwd.h"
#include "dataset/batch_reader.h"
#include "dataset/manifest.h"
#include "launch/output_report.h"
#include "nn/network.h"

namespace dl::launch {

// Minibatch by minibatch, in the order of the examples; not thread-safe.
class EvaluationReport {
 public:
  // `data`: the manifest of the examples that come. `top`: the k of the top-k accuracy.
  EvaluationReport(const nn::ModelConfig& model, const dataset::Manifest& data,
                   int64_t top = OutputReport::kTop);

  // Errors of Network::EvaluateInto.
  Status Add(const dataset::Minibatch& batch, nn::Network& network);

  // The object that EvaluateCheckpoint describes, without the contract. REQUIRES: an example.
  Json ToJson() const;

 private:
  std::vector<nn::ModelOutput> outputs_;
  std::vector<OutputReport> reports_;  // of each, likewise
  std::vector<nn::MetricSums> sums_;
  nn::MetricSums all_;  // of all outputs, as jobs measure them
};

}  // namespace dl::launch
