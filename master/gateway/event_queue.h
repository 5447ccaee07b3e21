// Events that wait for the core, in the order in which they came. Whoever has something for the
// core posts it here and goes on; the core's thread takes all of them at once.
#pragma once

#include <deque>
#include <optional>

#include "base/clock.h"
#include "base/mutex.h"
#include "master/core/events.h"

namespace dl::master {

struct Arrival {
  Instant at;  // Moment::came
  Event event;
};

// Thread-safe.
class EventQueue {
 public:
  void Post(Event event) DL_EXCLUDES(mutex_);
  // The events that came since the last call; waits for one, at most until `due`, and that is a
  // Tick. None after Close.
  std::optional<std::deque<Arrival>> Take(Instant due) DL_EXCLUDES(mutex_);
  // Nothing is taken any more.
  void Close() DL_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  CondVar came_;
  std::deque<Arrival> events_ DL_GUARDED_BY(mutex_);  // ascending by time
  bool closed_ DL_GUARDED_BY(mutex_) = false;
};

}  // namespace dl::master
