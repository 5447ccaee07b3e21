// Buffers between Thrift's protocol and a socket.
#pragma once

#include <thrift/transport/TBufferTransports.h>

#include <cstdint>
#include <memory>

#include "rpc/wire_socket.h"

namespace dl::rpc {

// A buffered transport. Differences from Thrift's class:
// - Buffers of 64 KiB; the default of 512 bytes is ten times slower.
// - Large reads go directly to their destination.
// - The size of a message is limited, and the count restarts with each message. In Thrift 0.17 the
//   input of a blocking server never restarts it, so a connection would fail after 80 MiB.
class WireTransport : public apache::thrift::transport::TBufferedTransport {
 public:
  // kServer: a message must arrive completely within kMessageDeadline of its first byte, and an
  // answer must be taken within the same time. kClient: the caller arms the socket for the whole
  // call.
  enum class Side { kClient, kServer };
  WireTransport(std::shared_ptr<WireSocket> socket, Side side);

  uint32_t readSlow(uint8_t* buf, uint32_t len) override;
  void writeSlow(const uint8_t* buf, uint32_t len) override;
  void flush() override;
  uint32_t readEnd() override;

 private:
  uint32_t ReadSocket(uint8_t* buf, uint32_t len);
  void BeginWrite();

  const std::shared_ptr<WireSocket> socket_;  // shared with Thrift's connection object
  const Side side_;
  int64_t message_bytes_ = 0;
};

}  // namespace dl::rpc
