// Events on their way to the executor's core: any thread posts them, the core's takes them in
// order.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "executor/core/events.h"

namespace dl::executor {

// Thread-safe.
class EventQueue {
 public:
  void Post(Event event) DL_EXCLUDES(mutex_);
  // From here on there is nothing more to take.
  void Close() DL_EXCLUDES(mutex_);
  // What was posted, once there is anything; a Tick at `deadline`; none when it is closed.
  std::optional<std::vector<Event>> Take(Instant deadline) DL_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  CondVar wake_;
  std::vector<Event> queue_ DL_GUARDED_BY(mutex_);
  bool closed_ DL_GUARDED_BY(mutex_) = false;
};

}  // namespace dl::executor
