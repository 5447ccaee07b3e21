// One accepted connection: admits the peer (Hello), checks each call's rights, and passes calls
// from Thrift's generated interface to the services.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "Master.h"
#include "rpc/connection_table.h"
#include "rpc/heartbeat_connections.h"
#include "rpc/message_limits.h"
#include "rpc/server.h"
#include "rpc/wire_socket.h"
#include "security/audit_log.h"
#include "security/token_book.h"

namespace dl::rpc {

// State shared by all connections of a server. Must outlive them.
struct ServerState {
  explicit ServerState(Watchdog& watchdog) : visitors(watchdog) {}

  Services serves;
  std::string version;
  std::chrono::milliseconds hello_deadline;
  ConnectionTable visitors;
  int64_t max_connections = 0;
  int64_t max_connections_of_address = 0;
  std::atomic<int64_t> connections = 0;
  std::atomic<int64_t> refused = 0;  // connections refused because of the limit
  HeartbeatConnections heartbeats;
  MessageBudgets budgets;
};

// Returns the processor of one connection. It ends the connection (process returns false) if the
// peer misbehaves. `socket` belongs to the connection and must outlive the processor.
std::shared_ptr<apache::thrift::TProcessor> MakeConnectionProcessor(ServerState* state,
                                                                    WireSocket& socket);

}  // namespace dl::rpc
