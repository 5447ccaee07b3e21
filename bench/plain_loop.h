// What a job is compared with: the engine in a plain loop on the calling thread, with the same
// data, batches and learning rates, and nothing of a cluster.
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

// Blocks from a master's client service, decoded once and shared by all loops over it.
class TrainingData {
 public:
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
  std::string state_sha256;  // as a job with one worker names its last state
};

// The part of the data that is worker `worker`'s of `workers`, for all of the job's epochs.
struct PlainLoopPart {
  int64_t workers = 1;
  int64_t worker = 0;
  // Loops that meet wait for each other where a job's slots must, and average nothing there: after
  // every `meet_every` steps of an epoch and at its end. nullptr: this loop waits for nobody.
  std::barrier<>* meeting = nullptr;
  int64_t meet_every = 0;
};
StatusOr<PlainLoopResult> RunPlainLoop(const job::JobSpec& spec, const TrainingData& data,
                                       PlainLoopPart part);

}  // namespace dl::bench
