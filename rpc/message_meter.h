// The interface through which the reader of a connection (rpc/wire_protocol.h) accounts the memory
// of incoming messages. The reader calls it before it allocates memory. The implementation decides
// when the memory is free again (rpc/connection_meter.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace dl::rpc {

// AnnounceBytes and ReceiveBytes refuse a message by throwing Thrift's exceptions, which end the
// connection. Must be used by the connection's thread.
class MessageMeter {
 public:
  virtual ~MessageMeter() = default;
  // A message begins: a request of this method.
  virtual void Begin(std::string_view method) = 0;
  // The message announces `bytes` more, for a field of the request (its id in the IDL) or for a
  // part of that field.
  virtual void AnnounceBytes(int16_t field, int64_t bytes) = 0;
  // `bytes` of the announced bytes are in memory.
  virtual void ReceiveBytes(int64_t bytes) = 0;
};

}  // namespace dl::rpc
