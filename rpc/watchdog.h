// Shuts sockets down whose deadline has passed. Thrift's own timeouts are per system call: a peer
// that sends or takes one byte now and then would hold a call for ever.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/thread.h"

namespace dl::rpc {

// One thread. Thread-safe; outlives every socket that it watches.
class Watchdog {
 public:
  Watchdog();
  ~Watchdog();

  // Watches the open socket `fd` until Disarm, which has to come before the socket is closed (its
  // number is used again).
  uint64_t Arm(int fd, Instant deadline);
  // True when the socket was shut down.
  bool Disarm(uint64_t id);
  // Replaces the deadline of what is still watched.
  void Change(uint64_t id, Instant deadline);

  // From now on no deadline is later than this: what is under way ends.
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
  // When the thread looks again by itself. Of the thousands of calls a second hardly one lives to
  // its deadline: it is not woken for each of them.
  Instant wakes_at_ DL_GUARDED_BY(mutex_) = Instant::Max();
  std::map<uint64_t, Entry> armed_ DL_GUARDED_BY(mutex_);  // without those that fired
  std::set<std::pair<Instant, uint64_t>> order_ DL_GUARDED_BY(mutex_);
  Thread thread_;
};

}  // namespace dl::rpc
