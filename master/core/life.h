// What a master is in this life, between its start and its end.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "master/core/core_options.h"

namespace dl::master {

struct Life {
  CoreOptions options;
  uint64_t term = 1;
  uint64_t start = 1;   // RecoveredState::start
  uint64_t secret = 0;  // of the data folder
  Instant began;
  bool stopping = false;  // ShutdownRequested: nothing new begins

  // No other life gives this number to anything.
  uint64_t Numbered(uint64_t number) const { return (start << 32) | number; }
  // After a start executors come back before a job is said to wait for them.
  Instant WaitingBegins() const { return began + options.recovery_grace; }
};

}  // namespace dl::master
