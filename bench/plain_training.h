// The baseline of a job: the engine in a plain loop on the calling thread, with the same data,
// batches and learning rates, but without a cluster.
#pragma once

#include <barrier>
#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "dataset/dataset.h"
#include "dataset/plan.h"
#include "job/job_spec.h"
#include "rpc/service.h"

namespace dl::bench {

// Blocks from a master's client service, decoded once and shared by all loops.
class TrainingData {
 public:
  // Returns the error of ManifestFromJson or Dataset::Create. REQUIRES: `client` outlives the
  // result.
  static StatusOr<std::unique_ptr<TrainingData>> Open(const std::string& manifest,
                                                      rpc::ClientService& client);
  const std::shared_ptr<const dataset::Dataset>& dataset() const { return dataset_; }

 private:
  TrainingData() = default;
  std::unique_ptr<dataset::BlockSource> blocks_;
  std::shared_ptr<const dataset::Dataset> dataset_;  // shared with the readers
};

struct PlainLoopResult {
  int64_t examples = 0;
  std::string state_sha256;  // computed as for the last state of a job with one worker
};

// The data of worker `worker` of `workers`, for all epochs of the job.
struct PlainLoopPart {
  int64_t workers = 1;
  int64_t worker = 0;
  // Loops that meet wait for each other where the slots of a job must, but average nothing: after
  // every `meet_every` steps of an epoch and at its end. nullptr: this loop does not wait.
  std::barrier<>* meeting = nullptr;
  int64_t meet_every = 0;
};
// Trains on one worker's data. Returns the errors of the engine and of the data's readers.
// REQUIRES: the labels are classes; examples have no weights and no lengths.
StatusOr<PlainLoopResult> RunPlainLoop(const job::JobSpec& spec, const TrainingData& data,
                                       PlainLoopPart part);

}  // namespace dl::bench
