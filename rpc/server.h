// The master's server.
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
#include "security/token_book.h"

namespace dl::rpc {

struct ServerOptions {
  // If set, all connections are encrypted. If not, only loopback addresses are allowed.
  std::optional<security::MasterTls> tls;
  std::string address = "127.0.0.1";
  int port = 0;         // 0: any free port
  std::string version;  // of this binary, for messages to people
  int64_t max_connections = limits::kMaxConnections;
  std::chrono::milliseconds hello_deadline = limits::kHelloDeadline;
  std::chrono::milliseconds idle_deadline = limits::kIdleDeadline;
};

// Returns FailedPrecondition for an address that other machines can reach if connections are not
// encrypted.
Status CheckReach(const std::string& address, bool encrypted);

// The services of a server, and the tokens that admit callers. All must outlive the server.
struct Services {
  ExecutorService* executors = nullptr;  // null: its methods return Unimplemented; likewise below
  ClientService* clients = nullptr;
  AdminService* admins = nullptr;
  security::TokenBook* tokens = nullptr;  // null: only certificates are accepted
  security::AuditLog* audit = nullptr;    // null: no audit log
};

// Runs one thread per connection. Peers are not trusted: a peer without a token learns nothing. A
// connection is closed without large allocations if its bytes are not a Paravane message, exceed a
// limit, stop in the middle of a message, or do not begin with Hello. Methods are thread-safe.
class Server {
 public:
  // Opens the port. Peers that connect wait until Serve. Errors: InvalidArgument for a port out of
  // range or invalid keys; FailedPrecondition for an address beyond loopback without keys;
  // Unavailable if the port is in use.
  static StatusOr<std::unique_ptr<Server>> Listen(ServerOptions options);
  // Starts to answer calls. May be called once. The services' methods are called from many threads.
  void Serve(const Services& services);
  ~Server();  // calls Stop

  int port() const;
  // Returns the endpoint for clients on this machine: a loopback address if the server listens on
  // all addresses.
  Endpoint LocalEndpoint() const;
  int64_t connections() const;  // open at this moment
  // Returns the number of connections that were refused because of the limit.
  int64_t refused() const;

  // Closes the port and all idle connections at once. Returns when the running calls have ended and
  // their answers are sent, or when kStopGrace is over. The services have to end their calls; no
  // deadline is longer than limits::kMaxCallDeadline. Idempotent.
  void Stop();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dl::rpc
