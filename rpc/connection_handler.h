// One accepted connection: the Hello rule, and calls from Thrift's generated interface to the
// services.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "Master.h"
#include "base/mutex.h"
#include "rpc/message_limits.h"
#include "rpc/service.h"

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

// What all connections of a server share; outlives them.
struct ServerState {
  ExecutorService* executors = nullptr;
  ClientService* clients = nullptr;
  std::string version;
  int64_t max_connections = 0;
  std::atomic<int64_t> connections = 0;
  std::atomic<int64_t> refused = 0;  // for being one too many
  HeartbeatConnections heartbeats;
  MessageBudgets budgets;
};

// A processor for one connection, that ends the connection (process returns false) when the peer
// misbehaves.
std::shared_ptr<apache::thrift::TProcessor> MakeConnectionProcessor(ServerState* state);

}  // namespace dl::rpc
