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
#include "security/token_store.h"

namespace dl::rpc {

// State shared by all connections of a server. Each connection has a thread. The state must outlive
// them. `services`, `version`, `hello_deadline` and the two limits are set before the first
// connection is served. All other members are thread-safe.
struct ServerState {
  explicit ServerState(Watchdog& watchdog) : table(watchdog) {}

  Services services;
  std::string version;  // of this binary, for messages to people
  // Time for Hello. It begins when a connection leaves the lobby, because its first bytes have
  // arrived (rpc/lobby.h).
  std::chrono::milliseconds hello_deadline;
  ConnectionTable table;
  int64_t max_connections = 0;
  // Largest number of authenticated connections of one address, and of one token or owner of
  // certificates.
  int64_t max_connections_of_address = 0;
  // Number of processors: open connections that have left the lobby, before and after Hello.
  std::atomic<int64_t> connections = 0;
  std::atomic<int64_t> refused = 0;  // number of connections refused because of a limit
  HeartbeatConnections heartbeats;
  MessageBudgets budgets;
};

// Returns the processor of the connection that uses `socket`. It must be used by the thread of the
// connection. `process` serves one call. It returns false, which ends the connection, in these
// cases:
//   - an error of Hello, such as a limit, another protocol version or invalid credentials;
//   - another first call, or a second Hello;
//   - a call that the peer's role may not make, or with a token that is no longer valid;
//   - bytes that are no message of the protocol, exceed a limit or arrive too late, and answers
//     that cannot be sent.
// All other errors are answered, and the connection stays open. `state` and `socket` must outlive
// the processor. REQUIRES: state is not null, and the socket is open.
std::shared_ptr<apache::thrift::TProcessor> MakeConnectionProcessor(ServerState* state,
                                                                    WireSocket& socket);

}  // namespace dl::rpc
