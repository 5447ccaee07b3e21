// What a checkpoint says of examples that were just read: what dl-submit predict does.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/normalizer.h"
#include "launch/checkpoint_reader.h"

namespace dl::launch {

struct PredictedBatch {
  int64_t first = 0;  // its first example, from 0
  int64_t examples = 0;
  // Of each of the model's outputs [examples, rows of an example, units]: of a sequence with a
  // label for each step its steps are rows, those behind its end too. Probabilities for
  // cross-entropies (nn/network.h). Valid during the call.
  std::span<const std::span<const float>> outputs;
};

// The classes that the steps of a sequence tell, of a model under the loss ctc: [steps, units].
std::vector<int32_t> ClassesTold(std::span<const float> steps, int64_t units);

struct PredictOptions {
  std::string contract;  // launch/checkpoint_model.h
  // Both of the training set: what the examples go through, and what brings predicted numbers back
  // to the data's unit (null: they are in it).
  const dataset::Normalizer* normalizer = nullptr;
  const dataset::Normalizer* target_normalizer = nullptr;
  // Of all examples, in their order; an error ends it.
  std::function<Status(const PredictedBatch&)> visit;
};

// The kernel contract. In batches of the job's evaluations, so that what is predicted is what
// dl-submit evaluate counts. REQUIRES: the table was read for the checkpoint's training split
// (ReadOptions::training). FailedPrecondition when this machine does not offer the contract.
StatusOr<std::string> PredictExamples(const LoadedCheckpoint& checkpoint,
                                      const dataset::ExampleTable& table,
                                      const PredictOptions& options);

}  // namespace dl::launch
