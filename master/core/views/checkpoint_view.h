// Snapshots of a job's checkpoints (see job_view.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "master/core/views/job_view.h"

namespace dl::master {

struct CheckpointView {
  std::string checkpoint;  // "JOB@ROUND", or "JOB@ROUND~ROLLBACK" if it was set aside
  int64_t round = 0;
  int64_t epoch = 0;  // from 1; 0: before the first epoch
  std::string state_sha256;
  std::map<std::string, std::string> parts;  // SHA-256 by key (StateNames)
  bool pinned = false;
  bool best = false;                // has the best evaluation (KnownLog::best)
  std::string kernel_contract;      // under which its round was computed; empty: not known
  std::optional<MetricsView> test;  // if it was evaluated and is not set aside
  int64_t set_aside = 0;            // number of the rollback (CheckpointInfo); 0: it counts
  int64_t set_aside_unix_ms = 0;
  std::string manifest;  // JSON, as stored
};

// Checkpoints that were set aside come first. If any checkpoint counts, the last entry is the
// newest of them.
struct CheckpointsView {
  std::vector<CheckpointView> checkpoints;
};

CheckpointsView MakeCheckpointsView(const Job& job);

}  // namespace dl::master
