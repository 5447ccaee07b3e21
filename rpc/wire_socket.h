// The socket under every connection, of servers and clients.
#pragma once

#include <thrift/transport/TSocket.h>

#include <cstdint>
#include <memory>
#include <string>

#include "rpc/watchdog.h"

namespace dl::rpc {

// A TCP socket with at most one deadline at a time. Used by one thread at a time; close and
// destruction disarm.
class WireSocket : public apache::thrift::transport::TSocket {
 public:
  // To be opened by the caller, who owns `watchdog`.
  WireSocket(const std::string& host, int port, Watchdog* watchdog);
  // An accepted one; `interrupt` is Thrift's pipe that ends blocking reads when the server stops.
  WireSocket(int fd, std::shared_ptr<int> interrupt, Watchdog* watchdog);
  ~WireSocket() override { Disarm(); }

  void close() override;

  // Replaces the deadline.
  void Arm(Instant deadline);
  // True when the deadline passed: the socket is shut down, and whatever failed, failed because of
  // that.
  bool Disarm();
  bool armed() const { return watch_ != 0; }

  // Dead hosts are noticed by the kernel: keepalive probes and a limit on unacknowledged bytes.
  // Needs an open socket.
  void SetTcpOptions();
  // Nothing to read and not closed by the peer: fit for another call. A connection with bytes
  // nobody asked for is not.
  bool Quiet();

 private:
  Watchdog* const watchdog_;
  uint64_t watch_ = 0;
};

}  // namespace dl::rpc
