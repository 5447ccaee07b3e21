// Which sessions' heartbeats come over connections that are open.
#pragma once

#include <cstdint>
#include <map>

#include "base/mutex.h"

namespace dl::rpc {

// Which sessions have a connection that carries their heartbeats. Thread-safe.
class HeartbeatConnections {
 public:
  void Add(uint64_t session);
  // True when it was the session's last one: a peer that merely reconnected is not lost.
  bool Remove(uint64_t session);

 private:
  Mutex mutex_;
  std::map<uint64_t, int> count_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::rpc
