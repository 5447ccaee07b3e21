// One accepted connection: who is let in (Hello), who may do what, and calls from Thrift's
// generated interface to the services.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "Master.h"
#include "rpc/heartbeat_connections.h"
#include "rpc/message_limits.h"
#include "rpc/server.h"
#include "rpc/visitors.h"
#include "rpc/wire_socket.h"
#include "security/audit_log.h"
#include "security/token_book.h"

namespace dl::rpc {

// What all connections of a server share; outlives them.
struct ServerState {
  explicit ServerState(Watchdog& watchdog) : visitors(watchdog) {}

  Services serves;
  std::string version;
  std::chrono::milliseconds hello_deadline;
  Visitors visitors;
  int64_t max_connections = 0;
  int64_t max_connections_of_address = 0;
  std::atomic<int64_t> connections = 0;
  std::atomic<int64_t> refused = 0;  // for being one too many
  HeartbeatConnections heartbeats;
  MessageBudgets budgets;
};

// A processor for one connection, that ends the connection (process returns false) when the peer
// misbehaves. The socket is the connection's, and outlives it.
std::shared_ptr<apache::thrift::TProcessor> MakeConnectionProcessor(ServerState* state,
                                                                    WireSocket& socket);

}  // namespace dl::rpc
