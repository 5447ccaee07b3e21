// Shuts down sockets whose deadline has passed. Thrift's own timeouts apply to each system call, so
// a peer that sends or takes a byte now and then could hold a call forever.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/thread.h"

namespace dl::rpc {

// Uses one thread. Thread-safe. Must outlive every socket that it watches.
class Watchdog {
 public:
  Watchdog();
  ~Watchdog();

  // Watches the open socket `fd` until Disarm. Returns the id of the watch, which is never 0.
  // Disarm must be called before the socket is closed, because its number may be reused.
  uint64_t Arm(int fd, Instant deadline);
  // Ends a watch. Returns true if the socket was shut down. Must be called once for each id.
  bool Disarm(uint64_t id);
  // Changes the deadline. Does nothing if the socket was already shut down or the watch has ended.
  // A deadline in the past shuts the socket down soon.
  void Change(uint64_t id, Instant deadline);

  // Limits all current and future deadlines to `latest`. A later limit than the present one has no
  // effect.
  void Cap(Instant latest);

 private:
  void Run();

  struct Entry {
    int fd = -1;
    Instant deadline;
  };

  Mutex mutex_;
  CondVar changed_;
  bool stop_ DL_GUARDED_BY(mutex_) = false;
  uint64_t next_ DL_GUARDED_BY(mutex_) = 1;
  Instant cap_ DL_GUARDED_BY(mutex_) = Instant::Max();
  // When the thread wakes next. It is not woken for every call, because thousands of calls start
  // per second and few reach their deadline.
  Instant wakes_at_ DL_GUARDED_BY(mutex_) = Instant::Max();
  std::map<uint64_t, Entry> armed_ DL_GUARDED_BY(mutex_);  // without sockets that were shut down
  std::set<std::pair<Instant, uint64_t>> order_ DL_GUARDED_BY(mutex_);
  Thread thread_;
};

}  // namespace dl::rpc
