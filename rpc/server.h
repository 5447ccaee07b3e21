// The master's port.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/limits.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::rpc {

struct ServerOptions {
  std::string address = "127.0.0.1";
  int port = 0;         // 0: any free one
  std::string version;  // of this binary, for messages to people
  int64_t max_connections = limits::kMaxConnections;
  std::chrono::milliseconds hello_deadline = limits::kHelloDeadline;
  std::chrono::milliseconds idle_deadline = limits::kIdleDeadline;
};

// One thread per connection. Peers are not trusted: what is no Paravane message, what is over a
// limit, what stops half way or never says Hello is closed without large allocations.
class Server {
 public:
  // Has the port when it returns; peers that connect wait for Serve. InvalidArgument: an address
  // that is not of this machine's loopback (nobody is authenticated yet), a port out of range.
  // Unavailable: the port is taken.
  static StatusOr<std::unique_ptr<Server>> Listen(ServerOptions options);
  // Answers from now on. Once. The services outlive the server; their methods are called from many
  // threads at once. A null service answers Unimplemented.
  void Serve(ExecutorService* executors, ClientService* clients);
  ~Server();  // stops

  int port() const;
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
