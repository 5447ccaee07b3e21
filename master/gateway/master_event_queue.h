// Events that wait for the core, in the order of their arrival. Any thread posts events without
// waiting. The core's thread takes all of them at once.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/clock.h"
#include "base/mutex.h"
#include "master/core/master_events.h"
#include "master/gateway/shell_bounds.h"

namespace dl::master {

struct Arrival {
  Instant at;  // StepTime::came
  Event event;
};

// Thread-safe.
class EventQueue {
 public:
  // `max_bytes` limits the bytes of waiting requests.
  explicit EventQueue(int64_t max_bytes = ShellBounds().request_bytes) : max_bytes_(max_bytes) {}

  // Adds an event of the master itself. The master's own work bounds their number.
  void Post(Event event) DL_EXCLUDES(mutex_);
  // Adds a request of a peer. Returns false without adding it if other requests wait and all would
  // use more than `max_bytes`. The core does not keep up then, usually because the disk is
  // blocked.
  bool Offer(Event event) DL_EXCLUDES(mutex_);
  // Returns the events since the last call. Waits for an event until `due`. Returns a Tick if none
  // came. Returns nullopt after Close().
  std::optional<std::deque<Arrival>> Take(Instant due) DL_EXCLUDES(mutex_);
  // Makes waiting and later calls of Take() return nullopt.
  void Close() DL_EXCLUDES(mutex_);

 private:
  void Add(Event event) DL_REQUIRES(mutex_);

  const int64_t max_bytes_;
  Mutex mutex_;
  CondVar came_;
  std::deque<Arrival> events_ DL_GUARDED_BY(mutex_);  // ascending by time
  int64_t bytes_ DL_GUARDED_BY(mutex_) = 0;           // bytes of the waiting requests
  bool closed_ DL_GUARDED_BY(mutex_) = false;
};

}  // namespace dl::master
