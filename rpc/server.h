// The master's server: accepts connections and passes their calls to the services.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/limits.h"
#include "base/status.h"
#include "rpc/endpoint.h"
#include "rpc/service.h"
#include "security/audit_log.h"
#include "security/tls.h"
#include "security/token_store.h"

namespace dl::rpc {

struct ServerOptions {
  // If set, all connections are encrypted. If not, only loopback addresses are allowed.
  std::optional<security::MasterTls> tls;
  std::string address = "127.0.0.1";  // a name or address of this machine; "0.0.0.0", "::": all
  int port = 0;                       // 0: any free port
  std::string version;                // of this binary, for messages to people
  // At least 1. Lowered if the process may open too few files (ConnectionsOf).
  int64_t max_connections = limits::kMaxConnections;
  // Time for a connection's first bytes, and again, from these bytes on, for its Hello.
  std::chrono::milliseconds hello_deadline = limits::kHelloDeadline;
  std::chrono::milliseconds idle_deadline = limits::kIdleDeadline;  // closes silent connections
};

// Returns FailedPrecondition unless connections are `encrypted` or the address is a loopback
// address.
Status CheckReach(const std::string& address, bool encrypted);

// The services of a server, and the tokens that admit callers. All must outlive the server. The
// methods of a service that is null return Unimplemented.
struct Services {
  ExecutorService* executors = nullptr;
  ClientService* clients = nullptr;
  AdminService* admins = nullptr;
  security::TokenStore* tokens = nullptr;  // null: only certificates are accepted
  security::AuditLog* audit = nullptr;     // null: no audit log
};

// Runs one thread per connection. Peers are not trusted: a peer without a token or certificate can
// call nothing but Hello. A connection is closed without large allocations if its bytes are not a
// Paravane message, exceed a limit, stop in the middle of a message, or do not begin with Hello.
// Methods are thread-safe.
class Server {
 public:
  // Opens the port. Peers that connect wait until Serve. Returns the errors of
  // security::SetUpMaster, and:
  //
  // - InvalidArgument: a port or max_connections out of range.
  // - FailedPrecondition: an address beyond loopback without keys.
  // - PermissionDenied: this user may not open the port.
  // - Unavailable: the port is in use, the address is not of this machine, the process may open no
  //   more files, or any other failure to listen.
  static StatusOr<std::unique_ptr<Server>> Listen(ServerOptions options);
  // Starts to answer calls. May be called once, before Stop. The services' methods are called from
  // many threads. Uses the revocation callback of `services.tokens`.
  void Serve(const Services& services);
  ~Server();  // calls Stop

  int port() const;
  // Returns the endpoint for clients on this machine: a loopback address if the server listens on
  // all addresses, else the address from the options, with 127.0.0.1 for "localhost".
  Endpoint LocalEndpoint() const;
  int64_t connections() const;  // open at this moment, without those in the lobby
  // Returns the number of connections that were refused because of a limit.
  int64_t refused() const;

  // Closes the port and all idle connections at once. Returns when the running calls have ended.
  // Their answers are sent until limits::kStopGrace is over; then the connections are cut. The
  // services have to end their calls. Idempotent.
  void Stop();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dl::rpc
