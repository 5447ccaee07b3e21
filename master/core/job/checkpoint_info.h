// A checkpoint as the core knows it.
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
  std::string manifest;                 // of storage's checkpoint store
  int64_t place = -1;                   // of the round's commit in the log; -1: not recorded
  std::optional<LogRecord> evaluation;  // the last one of its round or an earlier one
  bool pinned = false;
  // The number of the job's rollback (1, 2, ...) that set the checkpoint aside, because its round
  // did not count any more, and the time. 0: the checkpoint counts.
  int64_t set_aside = 0;
  int64_t set_aside_unix_ms = 0;
  // When this life of the master first saw it set aside. Not stored.
  std::optional<Instant> set_aside_seen;
  bool unusable = false;  // could not be loaded in this life of the master: as if it were not
                          // there, replaced when possible
};
using CheckpointInfos = std::map<int64_t, CheckpointInfo>;  // by round
// By round and rollback.
using SetAsideInfos = std::map<std::pair<int64_t, int64_t>, CheckpointInfo>;

}  // namespace dl::master
