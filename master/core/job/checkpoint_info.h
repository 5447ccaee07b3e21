// The core's description of a checkpoint.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "master/core/job/round_log.h"

namespace dl::master {

struct CheckpointInfo {
  int64_t round = 0;
  StateNames names;
  std::string manifest;                 // JSON of the checkpoint store, which names the chunks
  int64_t place = -1;                   // index of the round's commit in the log; -1: not recorded
  std::optional<LogRecord> evaluation;  // the last one up to this round
  // Kernel contract under which the round was computed. Empty in records of older builds, and if
  // the round log of an older build does not have it.
  std::string kernel_contract;
  bool pinned = false;
  // Number of the rollback of the job (1, 2, ...) that set the checkpoint aside, because its round
  // no longer counted, and the time of that rollback. 0: the checkpoint counts.
  int64_t set_aside = 0;
  int64_t set_aside_unix_ms = 0;
  // Time for which masters have run since that rollback, as last stored.
  int64_t set_aside_run_ms = 0;
  // Could not be loaded in the last recovery of the job: treated as missing, replaced when
  // possible.
  bool unusable = false;
};
using CheckpointInfos = std::map<int64_t, CheckpointInfo>;  // by round
// By round and number of the rollback.
using SetAsideInfos = std::map<std::pair<int64_t, int64_t>, CheckpointInfo>;

}  // namespace dl::master
