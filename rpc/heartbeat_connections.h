// Tracks which sessions have an open connection for their heartbeats.
#pragma once

#include <cstdint>
#include <map>

#include "base/mutex.h"

namespace dl::rpc {

// Counts the open heartbeat connections of each session. Thread-safe.
class HeartbeatConnections {
 public:
  // Counts a connection that has begun to carry the session's heartbeats.
  void Add(uint64_t session);
  // Removes a connection from the count. Returns true if it was the session's last connection. A
  // peer that only reconnected still has another connection. If no connection of the session is
  // counted, does nothing and returns false.
  bool Remove(uint64_t session);

 private:
  Mutex mutex_;
  std::map<uint64_t, int> count_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::rpc
