// Limits of the answers to users.
#pragma once

#include <cstdint>

#include "base/limits.h"

namespace dl::master {

// Limits of a page: of jobs, of the round log, of a timeline or of histograms. `jobs` and `numbers`
// limit a page of jobs only.
struct PageBounds {
  int64_t bytes = limits::kMaxLogPageBytes;  // a single entry may be larger
  uint64_t jobs = 100;
  uint64_t numbers = 2000;  // numbers of submissions, including those of deleted jobs
};

// Limits of the events of jobs in memory and in an answer.
struct FeedBounds {
  int64_t events_of_job = limits::kMaxEventsKept;
  int64_t bytes = limits::kMaxEventBytesKept;
  int64_t events_of_reply = limits::kMaxEventsPerReply;
};

}  // namespace dl::master
