// Counts the core's steps and the processor time that they take. All requests to the core wait for
// the step in progress.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "master/core/master_events.h"

namespace dl::master {

// Returns the name of the event's type, for example "Register" or "RoundMerged".
std::string_view KindOf(const Event& event);

// Processor times of the steps since the master started. A step is long if it takes more than
// limits::kLongStep.
struct StepTimesView {
  int64_t steps = 0, long_steps = 0;
  Duration longest{0};
  std::string_view longest_event;  // KindOf the event of the longest step; empty before any step
};

// Thread-safe.
class StepTimes {
 public:
  // Records a step that took `computed` of processor time. Returns true if the caller should log
  // it: the step was long, and the last `true` is at least limits::kLongStepLogInterval ago.
  bool Record(const Event& event, Duration computed, Instant now) DL_EXCLUDES(mutex_);

  // Returns the figures of all recorded steps.
  StepTimesView View() DL_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  StepTimesView view_ DL_GUARDED_BY(mutex_);
  Instant next_log_at_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::master
