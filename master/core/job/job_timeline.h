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
  // A moment by both clocks. All times of a timeline are measured by the monotonic clock from here,
  // so that they stay in order if the wall clock is corrected.
  Instant anchor;
  int64_t anchor_unix_us = 0;  // 0: not set yet
};

}  // namespace dl::master
