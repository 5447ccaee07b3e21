// A checkpoint in a client's hands: for export, evaluate and inspect.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "averaging/strategy.h"
#include "base/float_buffer.h"
#include "base/json.h"
#include "job/job_spec.h"
#include "rpc/service.h"

namespace dl::launch {

struct LoadedCheckpoint {
  std::string name;  // "JOB@ROUND"
  job::JobSpec spec;
  std::shared_ptr<const averaging::Strategy> strategy;
  struct Part {
    std::string key;
    const averaging::PartLayout* layout = nullptr;  // of `strategy`
    FloatBuffer values;
    std::string sha256;  // its name
  };
  // Those that were asked for: what evaluations take first (StateLayout::evaluated), the others in
  // the layout's order, those of workers by number.
  std::vector<Part> parts;
  std::string state_sha256;  // of the names of all parts; that of the commit
  Json info;                 // as `dl-submit checkpoints --json` shows it

  const Part& model() const { return parts.front(); }
};

// The kernel contract that the round of a checkpoint was computed under. The master tells it with
// the checkpoint; of a job that an older build began and a user resumed the log is read, which may
// be long.
StatusOr<std::string> ContractOf(const LoadedCheckpoint& checkpoint, rpc::ClientService& client);

enum class CheckpointContent {
  kModel,  // what evaluations and predictions take
  kAll,    // also what updater, stateful layers and strategy remember: under `keep` of each worker
};

// "JOB@ROUND", or "JOB" for its newest. Verified is that the names of all parts are those of the
// state that the round committed, and that each part that is read has its name. InvalidArgument for
// another form of name, NotFound with the remedy to list them, DataLoss for what does not hold.
StatusOr<LoadedCheckpoint> LoadCheckpoint(const std::string& name, CheckpointContent content,
                                          rpc::ClientService& client);

}  // namespace dl::launch
