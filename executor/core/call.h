// A message to the master that is repeated until it gets through: whether it is in flight, when the
// next attempt is due, and how earlier attempts ended.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/status.h"
#include "executor/core/executor_core_options.h"

namespace dl::executor {

struct Call {
  bool in_flight = false;  // the call is in flight
  Instant due;
  int32_t failures = 0;  // in a row
  int32_t refusals = 0;  // answers that refused the call's bytes

  bool IsDue(Instant now) const { return !in_flight && now >= due; }
  Instant NextDue() const { return in_flight ? Instant::Max() : due; }
  // Records a failure. The next attempt is due after a pause that grows with each failure in a row.
  void ScheduleRetry(Instant now, const CoreOptions& options);
  // Counts the answer if it refuses the call's bytes (DataLoss, InvalidArgument). Returns whether
  // no further attempt makes sense. The call is retried once, in case the network damaged the
  // bytes. After a second refusal the bytes have changed since their announcement, so a retry
  // cannot help.
  bool IsRefusedForGood(const Status& status);
};

}  // namespace dl::executor
