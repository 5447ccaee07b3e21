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
  explicit ServerState(Watchdog& watchdog) : table(watchdog) {}

  Services services;
  std::string version;                       // of this binary, for messages to people
  std::chrono::milliseconds hello_deadline;  // from when it leaves the lobby to its Hello
  ConnectionTable table;
  int64_t max_connections = 0;
  int64_t max_connections_of_address = 0;  // also of one token
  std::atomic<int64_t> connections = 0;    // open connections, including those to be refused
  std::atomic<int64_t> refused = 0;        // connections refused because of a limit
  HeartbeatConnections heartbeats;
  MessageBudgets budgets;
};

// Returns the processor of one connection. It ends the connection (process returns false) if the
// peer is denied, is refused or sends invalid messages. `socket` is the connection's socket.
// `state` and `socket` must outlive the processor.
std::shared_ptr<apache::thrift::TProcessor> MakeConnectionProcessor(ServerState* state,
                                                                    WireSocket& socket);

}  // namespace dl::rpc
