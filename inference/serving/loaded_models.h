// Networks of checkpoints that are ready to predict. The least recently used ones are dropped, so
// that all together stay within a limit of memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/status.h"
#include "dataset/manifest.h"
#include "inference/checkpoint_reader.h"
#include "nn/network.h"
#include "rpc/service.h"

namespace dl::inference {

struct LoadedModel {
  std::string checkpoint;  // "JOB@ROUND"
  std::string state_sha256;
  job::JobSpec spec;
  dataset::Manifest training;  // without its blocks
  std::string kernel_contract;
  std::unique_ptr<nn::Network> network;
  std::optional<double> weight_penalty;  // nn::WeightPenalty, if the model has L1 or L2
  int64_t batch = 0;                     // most examples in a call of `network`
  int64_t bytes = 0;                     // upper bound of its memory, also while it is loaded
};

// Not thread-safe.
class LoadedModels {
 public:
  explicit LoadedModels(int64_t max_bytes) : max_bytes_(max_bytes) {}

  // Returns the model of checkpoint `name` (LoadCheckpoint), compiled for at least min(`rows`, the
  // job's evaluation batch size) examples in one call. Loads it if it is not kept, which may take
  // long, and drops other models if they do not fit beside it. Valid until the next call. Errors:
  //
  // - ResourceExhausted: the model needs more than the limit.
  // - FailedPrecondition: this process cannot compute under the job's kernel contract.
  // - errors of LoadCheckpoint, ContractOf, CompileCheckpoint and of the query for the training
  // set.
  StatusOr<LoadedModel*> Get(const std::string& name, int64_t rows, rpc::ClientService& client);

  int64_t bytes() const;  // of all models
  size_t size() const { return models_.size(); }

 private:
  StatusOr<LoadedModel> Load(const LoadedCheckpoint& described, int64_t batch,
                             rpc::ClientService& client);

  const int64_t max_bytes_;
  std::list<LoadedModel> models_;  // the most recently used first
};

// The models of a server. A thread that computes with a model holds the mutex.
struct SharedModels {
  static constexpr int64_t kModelBytes = int64_t{512} << 20;  // of all loaded models

  std::atomic<bool> stopping{false};  // computations end soon with Unavailable
  Mutex mutex;
  LoadedModels models DL_GUARDED_BY(mutex){kModelBytes};
};

}  // namespace dl::inference
