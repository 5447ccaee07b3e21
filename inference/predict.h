// Predicts examples that were just read with the model of a checkpoint (dl-submit predict).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/normalizer.h"
#include "inference/checkpoint_reader.h"
#include "nn/network.h"

namespace dl::inference {

struct PredictedBatch {
  int64_t first = 0;  // index of its first example
  int64_t examples = 0;
  // For each output of the model an array [examples, rows of an example, units]. The rows of a
  // sequence with a label per step are its steps, including those after its end. Values are
  // probabilities for cross-entropies (nn/network.h). To numbers, Schema::target_origins must still
  // be added. Valid during the call.
  std::span<const std::span<const float>> outputs;
};

// Returns the sequence of classes that a model with the loss ctc predicts for one sequence: the
// most probable class of each step, without immediate repetitions and then without blanks
// (nn::BestPath). `steps` has the probabilities [steps, units].
std::vector<int32_t> MostProbablePath(std::span<const float> steps, int64_t units);

struct PredictOptions {
  std::string contract;  // see inference/checkpoint_model.h
  // Normalizers that were fitted on the training set. `normalizer` transforms the features and must
  // not be null. The inverse of `target_normalizer` is applied to predicted numbers; null: the job
  // has no target normalizer.
  const dataset::Normalizer* normalizer = nullptr;
  const dataset::Normalizer* target_normalizer = nullptr;
  // Receives the batches of all examples in order. An error ends the prediction. REQUIRES: not
  // empty.
  std::function<Status(const PredictedBatch&)> visit;
};

// Predicts all examples of the table and returns the kernel contract. Uses batches of the job's
// evaluation batch size, so that the predictions are those that dl-submit evaluate counts. They
// differ for a stateful model, because here each batch begins with states of zeros. Errors are
// those of CompileCheckpoint, FloatBuffer::Create, nn::Network::Predict and dataset::VisitFeatures,
// and those of `visit`. REQUIRES: the table was read for the checkpoint's training split
// (ReadOptions::training).
StatusOr<std::string> PredictExamples(const LoadedCheckpoint& checkpoint,
                                      const dataset::ExampleTable& table,
                                      const PredictOptions& options);

// The same with a network that CompileCheckpoint returned for at least `batch_size` examples in one
// call. Ignores options.contract. REQUIRES: `batch_size` is at least 1.
Status PredictWith(nn::Network& network, int64_t batch_size, const dataset::ExampleTable& table,
                   const PredictOptions& options);

}  // namespace dl::inference
