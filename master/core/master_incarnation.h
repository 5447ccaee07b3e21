// A process of a master, between its start and its end.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "master/core/master_core_options.h"

namespace dl::master {

struct MasterIncarnation {
  CoreOptions options;
  uint64_t term = 1;
  uint64_t start = 1;     // RecoveredState::start
  uint64_t secret = 0;    // secret of the data folder
  Instant began;          // when the process started
  bool stopping = false;  // after ShutdownRequested, when nothing new begins

  // Returns `number`, which is unique in this process, in a form that is unique across restarts of
  // the master. REQUIRES: number < 2^32.
  uint64_t Numbered(uint64_t number) const { return (start << 32) | number; }
  // Executors get this time to return before a job is reported as waiting for them.
  Instant WaitingBegins() const { return began + options.recovery_grace; }
};

}  // namespace dl::master
