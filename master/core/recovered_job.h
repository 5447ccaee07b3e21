// A job as its documents in the store tell of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "master/core/job.h"

namespace dl::master {

struct RecoveredJob {
  // What is wrong with its documents, and where; the rest is then what can be read of it: its id,
  // its name, a terminal state.
  Status damage;
  JobDefinition definition;
  JobRecord record;
  JobLog log;
  std::vector<CheckpointInfo> checkpoints;
  std::map<std::string, int64_t> unverified_since;
  std::string begins_from_manifest;  // of the checkpoint it began from; empty: none, or gone
};

// The job where its records end; nothing of it goes on yet.
Job Restored(RecoveredJob recovered);

}  // namespace dl::master
