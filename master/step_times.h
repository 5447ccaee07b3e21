// Durations of the core's steps. All requests wait for the step in progress.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/mutex.h"
#include "master/core/master_events.h"

namespace dl::master {

// Returns the name of the event: "Register", "RoundMerged".
std::string_view KindOf(const Event& event);

// Thread-safe.
class StepTimes {
 public:
  // Records a step that took `computed`. Returns true if the operator should be informed: the step
  // was long, and no long step was reported for a while.
  bool Note(const Event& event, Duration computed, Instant now) DL_EXCLUDES(mutex_);

  // Returns {"steps","long_steps","longest_ms","longest_event"} since the start.
  Json ToJson() DL_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  int64_t steps_ DL_GUARDED_BY(mutex_) = 0;
  int64_t long_steps_ DL_GUARDED_BY(mutex_) = 0;
  Duration longest_ DL_GUARDED_BY(mutex_){0};
  std::string_view longest_event_ DL_GUARDED_BY(mutex_);
  Instant tell_from_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::master
