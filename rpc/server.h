// The master's port.
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
  // With it every connection is encrypted; without it only a loopback address is listened on.
  std::optional<security::MasterTls> tls;
  std::string address = "127.0.0.1";
  int port = 0;         // 0: any free one
  std::string version;  // of this binary, for messages to people
  int64_t max_connections = limits::kMaxConnections;
  std::chrono::milliseconds hello_deadline = limits::kHelloDeadline;
  std::chrono::milliseconds idle_deadline = limits::kIdleDeadline;
};

// One thread per connection. Peers are not trusted: who has no token is told nothing, and what is
// no Paravane message, what is over a limit, what stops half way or never says Hello is closed
// without large allocations.
// FailedPrecondition for an address that other machines reach, where connections are not encrypted.
Status CheckReach(const std::string& address, bool encrypted);

// What is served, and to whom. All of it outlives the server.
struct Services {
  ExecutorService* executors = nullptr;  // null: its methods are unimplemented, here as below
  ClientService* clients = nullptr;
  AdminService* admins = nullptr;
  security::TokenBook* tokens = nullptr;  // null: nobody is let in but by a certificate
  security::AuditLog* audit = nullptr;    // null: nobody writes down who came
};

class Server {
 public:
  // Has the port when it returns; peers that connect wait for Serve. InvalidArgument: a port out of
  // range, keys that are none; FailedPrecondition: an address that is not of this machine's
  // loopback, without keys; Unavailable: the port is taken.
  static StatusOr<std::unique_ptr<Server>> Listen(ServerOptions options);
  // Answers from now on. Once. The services' methods are called from many threads at once.
  void Serve(const Services& services);
  ~Server();  // stops

  int port() const;
  // Where this machine reaches it: on loopback, where it listens on all addresses.
  Endpoint LocalEndpoint() const;
  int64_t connections() const;  // open now
  // Connections that were refused for the limit.
  int64_t refused() const;

  // Closes the port and every idle connection at once; returns when the calls under way have ended
  // (they are the services' to end: no deadline of ours is longer than limits::kMaxCallDeadline)
  // and their answers are sent or kStopGrace is over. Idempotent, thread-safe.
  void Stop();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dl::rpc
