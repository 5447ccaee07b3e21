// Thrift's strict binary protocol. The bytes on the wire are unchanged, but the reader does not
// rely on lengths that a peer sends.
#pragma once

#include <thrift/protocol/TBinaryProtocol.h>

#include <memory>
#include <string>

#include "rpc/message_meter.h"

namespace dl::rpc {

// Differences from Thrift's reader:
// - The version header is required, and method names have at most 64 bytes.
// - A meter, if set, is asked before memory is allocated.
// - Strings take memory as their bytes arrive, not for the whole length that a peer claims.
//   Otherwise a few bytes from a peer could make the reader allocate 2 GiB.
// - Lists have at most limits::kMaxListEntries strings or structs, or limits::kMaxContainer
//   numbers.
// - Maps, sets and lists of lists are refused, because no message has them.
//
// Errors are Thrift's exceptions.
class WireProtocol : public apache::thrift::protocol::TBinaryProtocol {
 public:
  explicit WireProtocol(std::shared_ptr<apache::thrift::transport::TTransport> transport);

  uint32_t readMessageBegin_virt(std::string& name, apache::thrift::protocol::TMessageType& type,
                                 int32_t& seqid) override;
  uint32_t readStructBegin_virt(std::string& name) override;
  uint32_t readStructEnd_virt() override;
  uint32_t readFieldBegin_virt(std::string& name, apache::thrift::protocol::TType& type,
                               int16_t& id) override;
  uint32_t readString_virt(std::string& text) override;
  uint32_t readBinary_virt(std::string& bytes) override;
  uint32_t readListBegin_virt(apache::thrift::protocol::TType& type, uint32_t& size) override;
  uint32_t readSetBegin_virt(apache::thrift::protocol::TType& type, uint32_t& size) override;
  uint32_t readMapBegin_virt(apache::thrift::protocol::TType& key,
                             apache::thrift::protocol::TType& value, uint32_t& size) override;
  uint32_t skip_virt(apache::thrift::protocol::TType type) override;

  // Sets the meter for later messages; null: none. It must outlive the reading of messages.
  void SetMeter(MessageMeter* meter) { meter_ = meter; }

  // Makes the next empty binary field that is written have the content `bytes`, without a copy.
  // `bytes` must outlive the write. Null cancels an earlier call.
  void LendBinary(const std::string* bytes) { lent_ = bytes; }
  uint32_t writeBinary_virt(const std::string& bytes) override;

 private:
  uint32_t ReadBounded(std::string& text, int64_t limit, MessageMeter* meter);

  const std::string* lent_ = nullptr;
  MessageMeter* meter_ = nullptr;
  int depth_ = 0;      // open structs: 1 in the arguments, 2 in the request
  int16_t field_ = 0;  // id of the current field of the request
};

class WireProtocolFactory : public apache::thrift::protocol::TProtocolFactory {
 public:
  std::shared_ptr<apache::thrift::protocol::TProtocol> getProtocol(
      std::shared_ptr<apache::thrift::transport::TTransport> transport) override {
    return std::make_shared<WireProtocol>(std::move(transport));
  }
};

}  // namespace dl::rpc
