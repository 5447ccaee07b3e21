// The socket under every connection, of servers and clients, encrypted or not.
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

// A TCP socket with at most one deadline at a time, and a limit of its life. Used by one thread at
// a time; close and destruction disarm.
class WireSocket : public apache::thrift::transport::TVirtualTransport<WireSocket> {
 public:
  // Thrift's socket, open or to be opened; it is this object's alone but for Thrift's own handle.
  // `watchdog` outlives it.
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

  // Replaces the deadline.
  void Arm(Instant deadline);
  // True when the deadline passed: the socket is shut down, and whatever failed, failed because of
  // that.
  bool Disarm();
  bool armed() const { return watch_ != 0; }
  // How long the connection may live at all, whatever is said on it. The result is what Watchdog
  // knows this by, until the socket is closed: others may shorten it.
  uint64_t LimitLife(Instant deadline);
  // Ends the connection; usable from any thread, also after the socket is gone. REQUIRES: its life
  // is limited.
  std::function<void()> Ender() const;
  // Bytes that were read and written so far. Other threads may look at it.
  const std::atomic<int64_t>& moved_bytes() const { return moved_bytes_; }
  // Tells the peer that nothing more will be sent, and discards what it sends until it closes, for
  // at most `limit`. Closing at once would reset the connection, and the peer could lose an answer
  // that it has not read yet.
  void DiscardRest(Duration limit);

  // Dead hosts are noticed by the kernel: keepalive probes and a limit on unacknowledged bytes.
  // Needs an open socket.
  void SetTcpOptions();
  void SetConnectTimeout(int ms) { socket_->setConnTimeout(ms); }
  // Nothing to read and not closed by the peer: fit for another call. A connection with bytes
  // nobody asked for is not.
  bool Quiet();

  // The address at the other end, without its port; "" where there is none yet.
  std::string PeerAddress() const { return socket_->getPeerAddress(); }
  apache::thrift::transport::TSocket& socket() { return *socket_; }

 private:
  void Forget();  // both deadlines

  const std::shared_ptr<apache::thrift::transport::TSocket> socket_;
  Watchdog* const watchdog_;
  uint64_t watch_ = 0;
  uint64_t life_ = 0;
  std::atomic<int64_t> moved_bytes_ = 0;
};

// What every socket of ours may hold of one message.
std::shared_ptr<apache::thrift::TConfiguration> SocketLimits();

}  // namespace dl::rpc
