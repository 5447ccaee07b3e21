// The buffers between Thrift's protocol and a socket.
#pragma once

#include <thrift/transport/TBufferTransports.h>

#include <cstdint>
#include <memory>

#include "rpc/wire_socket.h"

namespace dl::rpc {

// Differs from Thrift's: 64 KiB buffers (the default of 512 bytes is ten times slower), large reads
// go to their destination, the bytes of one message are limited, and the count starts over with
// each message (in Thrift 0.17 the input of a blocking server never does: a connection would die
// after its first 80 MiB).
class WireTransport : public apache::thrift::transport::TBufferedTransport {
 public:
  // kServer: a message has to arrive whole within kMessageDeadline of its first byte, and an answer
  // has to be taken within the same time. kClient: the caller arms the socket for its whole call.
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
