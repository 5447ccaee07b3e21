// Queue of events for the executor's core. Any thread may post; the core's thread takes events in
// the order in which they were posted.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "executor/core/executor_events.h"

namespace dl::executor {

// Thread-safe.
class EventQueue {
 public:
  // Adds an event at the end. After Close, the event is lost.
  void Post(Event event) DL_EXCLUDES(mutex_);
  // Ends the queue: the current Take and every later Take return nullopt. Queued events are lost.
  void Close() DL_EXCLUDES(mutex_);
  // Waits for events and returns all that were posted. Returns a Tick if none arrive before
  // `deadline`, nullopt after Close.
  std::optional<std::vector<Event>> Take(Instant deadline) DL_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  CondVar wake_;
  std::vector<Event> queue_ DL_GUARDED_BY(mutex_);
  bool closed_ DL_GUARDED_BY(mutex_) = false;
};

}  // namespace dl::executor
