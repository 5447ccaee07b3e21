// The timeline of a job, as the core records it (storage/timeline).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/clock.h"
#include "storage/timeline/timeline_records.h"

namespace dl::master {

struct JobTimeline {
  storage::TimelineRounds rounds;            // as stored
  std::map<std::string, int32_t> executors;  // numbers, as stored
  // Stored records are damaged. No more are written while this master runs.
  bool failed = false;
  // A moment by both clocks. Times are measured by the monotonic clock from here, so that small
  // corrections of the wall clock do not disturb their order. Set anew after a larger correction,
  // and by each process of the master.
  Instant anchor;
  int64_t anchor_unix_us = 0;  // 0: not set yet
};

}  // namespace dl::master
