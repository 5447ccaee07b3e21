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
  std::vector<Part> parts;   // in the layout's order, the model first; of workers by number
  std::string state_sha256;  // of the parts' names, which what was read has; that of the commit
  Json info;                 // as `dl-submit checkpoints --json` shows it

  const Part& model() const { return parts.front(); }
};

// The kernel contract that the round of a checkpoint was computed under.
StatusOr<std::string> ContractOf(const LoadedCheckpoint& checkpoint, rpc::ClientService& client);

// "JOB@ROUND", or "JOB" for its newest. InvalidArgument for another form, NotFound with the remedy
// to list them, DataLoss when what is read is not what the commit says.
StatusOr<LoadedCheckpoint> LoadCheckpoint(const std::string& name, rpc::ClientService& client);

}  // namespace dl::launch
