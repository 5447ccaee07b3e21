// Events that wait for the core, in the order in which they came. Whoever has something for the
// core posts it here and goes on; the core's thread takes all of them at once.
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
  Instant at;  // Moment::came
  Event event;
};

// Thread-safe.
class EventQueue {
 public:
  // `most_bytes`: of requests that wait.
  explicit EventQueue(int64_t most_bytes = ShellBounds().request_bytes) : most_bytes_(most_bytes) {}

  // An event of the master itself. Their number is bounded by what the master does.
  void Post(Event event) DL_EXCLUDES(mutex_);
  // A request of a peer. Returns false and posts nothing when the requests that wait have
  // `most_bytes`: the disk stands still, and so does the core.
  bool Offer(Event event) DL_EXCLUDES(mutex_);
  // The events that came since the last call; waits for one, at most until `due`, and that is a
  // Tick. None after Close.
  std::optional<std::deque<Arrival>> Take(Instant due) DL_EXCLUDES(mutex_);
  // Nothing is taken any more.
  void Close() DL_EXCLUDES(mutex_);

 private:
  void Add(Event event) DL_REQUIRES(mutex_);

  const int64_t most_bytes_;
  Mutex mutex_;
  CondVar came_;
  std::deque<Arrival> events_ DL_GUARDED_BY(mutex_);  // ascending by time
  int64_t bytes_ DL_GUARDED_BY(mutex_) = 0;           // of the requests among them
  bool closed_ DL_GUARDED_BY(mutex_) = false;
};

}  // namespace dl::master
