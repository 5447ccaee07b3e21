// The socket of every connection, of servers and clients, encrypted or not.
#pragma once

#include <thrift/transport/TSocket.h>
#include <thrift/transport/TVirtualTransport.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "rpc/watchdog.h"

namespace dl::rpc {

// A TCP socket with at most one deadline at a time, and a limit on its lifetime. The watchdog shuts
// the socket down when either has passed. Must be used by one thread at a time. close and the
// destructor disarm both. Failures are Thrift's exceptions.
class WireSocket : public apache::thrift::transport::TVirtualTransport<WireSocket> {
 public:
  // Takes Thrift's socket, open or not yet open. The caller must not use the socket afterwards.
  // `watchdog` is not null and must outlive this.
  WireSocket(std::shared_ptr<apache::thrift::transport::TSocket> socket, Watchdog* watchdog);
  ~WireSocket() override { Forget(); }

  bool isOpen() const override { return socket_->isOpen(); }
  bool peek() override { return socket_->peek(); }
  void open() override { socket_->open(); }
  void close() override;
  uint32_t read(uint8_t* bytes, uint32_t count);
  void write(const uint8_t* bytes, uint32_t count);
  void flush() override { socket_->flush(); }
  const std::string getOrigin() const override { return socket_->getPeerAddress(); }

  // Sets or replaces the deadline. REQUIRES: the socket is open.
  void Arm(Instant deadline);
  // Removes the deadline. Returns true if it had passed: then the socket is shut down, which
  // explains earlier failures.
  bool Disarm();
  bool armed() const { return watch_ != 0; }
  // Sets or replaces the limit of the connection's lifetime, regardless of what is sent. Returns
  // the watchdog's id of the limit, valid until the socket is closed. Other threads may shorten the
  // limit with it. REQUIRES: the socket is open.
  uint64_t LimitLifetime(Instant deadline);
  // Returns a function that ends the connection. It may be called from any thread while the
  // watchdog exists, also after the socket is destroyed. REQUIRES: the lifetime is limited.
  std::function<void()> ShutdownFunction() const;
  // Bytes read and written so far. Any thread may read it.
  const std::atomic<int64_t>& moved_bytes() const { return moved_bytes_; }
  // Ends the sending direction, and discards received bytes until the peer closes, for at most
  // `limit`. Closing a socket with unread bytes would reset the connection, and the peer could lose
  // an answer that it has not read yet.
  void DiscardRest(Duration limit);

  // Sends small messages without delay, and lets the kernel detect dead hosts with keepalive
  // probes. REQUIRES: the socket is open.
  void SetTcpOptions();
  void SetConnectTimeout(int ms) { socket_->setConnTimeout(ms); }
  // Returns whether the connection can be used for another call: open, without unread bytes, and
  // not closed by the peer. Unread bytes at this point were not requested.
  bool IsIdle();

  // Returns the address of the peer without its port; "" if not known.
  std::string PeerAddress() const { return socket_->getPeerAddress(); }
  apache::thrift::transport::TSocket& socket() { return *socket_; }

 private:
  void Forget();  // disarms the deadline and the lifetime

  const std::shared_ptr<apache::thrift::transport::TSocket> socket_;
  Watchdog* const watchdog_;
  uint64_t watch_ = 0;
  uint64_t lifetime_id_ = 0;
  std::atomic<int64_t> moved_bytes_ = 0;
};

// Returns Thrift's limits on the size of a message, for all sockets.
std::shared_ptr<apache::thrift::TConfiguration> SocketLimits();

}  // namespace dl::rpc
