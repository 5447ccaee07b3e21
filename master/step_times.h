// Durations of the core's steps. All requests wait for the step in progress.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "master/core/master_events.h"

namespace dl::master {

// Returns the name of the event: "Register", "RoundMerged".
std::string_view KindOf(const Event& event);

// A step is long if it takes more than limits::kLongStep of processor time.
struct StepTimesView {
  int64_t steps = 0, long_steps = 0;
  Duration longest{0};
  std::string_view longest_event;  // a literal
};

// Thread-safe.
class StepTimes {
 public:
  // Records a step that took `computed`. Returns true if the operator should be informed: the step
  // was long, and no long step was reported for a while.
  bool Note(const Event& event, Duration computed, Instant now) DL_EXCLUDES(mutex_);

  // Figures since the start.
  StepTimesView View() DL_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  StepTimesView view_ DL_GUARDED_BY(mutex_);
  Instant tell_from_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::master
