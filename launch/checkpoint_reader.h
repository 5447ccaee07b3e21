// A checkpoint in a client's hands: for export, evaluate and inspect.
#pragma once

#include <string>
#include <vector>

#include "averaging/state_layout.h"
#include "base/float_buffer.h"
#include "base/json.h"
#include "job/job_spec.h"
#include "rpc/service.h"

namespace dl::launch {

struct LoadedCheckpoint {
  std::string name;  // "JOB@ROUND"
  job::JobSpec spec;
  averaging::StateLayout layout;
  FloatBuffer global;                // layout.global
  std::vector<FloatBuffer> workers;  // keep: layout.worker each
  std::string state_sha256;          // computed from what was read, compared with the manifest
  Json info;                         // as `dl-submit checkpoints --json` shows it
};

// The kernel contract that the round of a checkpoint was computed under.
StatusOr<std::string> ContractOf(const LoadedCheckpoint& checkpoint, rpc::ClientService& client);

// "JOB@ROUND", or "JOB" for its newest. InvalidArgument for another form, NotFound with the remedy
// to list them, DataLoss when what is read is not what the commit says.
StatusOr<LoadedCheckpoint> LoadCheckpoint(const std::string& name, rpc::ClientService& client);

}  // namespace dl::launch
