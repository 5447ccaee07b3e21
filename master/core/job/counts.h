// Counters of a job.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "master/core/job/traffic.h"

namespace dl::master {

// Counters since the master's start, for reports.
struct Counts {
  // When this process of the master started or loaded the job. JobRecord::wall_seconds counts the
  // time before.
  Instant started_at;
  int64_t examples = 0;  // of the rounds that this process committed
  // Leases that expired, and accepted results whose holder was silent for too long.
  int64_t expired_leases = 0;
  // Contributions that gathers added, alone or in sums, and the number of sums that were added.
  int64_t gathered_contributions = 0, gathered_sums = 0;
  int64_t stalls = 0;  // leases and deliveries of results that stalled
  // Failures of units for which the network or the master was at fault.
  int64_t network_retries = 0, master_retries = 0;
  int64_t duplicate_results = 0;  // results that equal the accepted or the committed result
  int64_t second_leases = 0;
  int64_t replayed_rounds = 0;
  Traffic traffic;  // in merged_rounds rounds
  int64_t merged_rounds = 0;
};

}  // namespace dl::master
