#include "rpc/heartbeat_connections.h"

namespace dl::rpc {

void HeartbeatConnections::Add(uint64_t session) {
  MutexLock lock(mutex_);
  ++count_[session];
}

bool HeartbeatConnections::Remove(uint64_t session) {
  MutexLock lock(mutex_);
  auto entry = count_.find(session);
  if (entry == count_.end() || --entry->second > 0) return false;
  count_.erase(entry);
  return true;
}

}  // namespace dl::rpc
