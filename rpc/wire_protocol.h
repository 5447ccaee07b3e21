// Thrift's binary protocol, unchanged on the wire, with a reader that trusts no length.
#pragma once

#include <thrift/protocol/TBinaryProtocol.h>

#include <memory>
#include <string>

#include "rpc/message_meter.h"

namespace dl::rpc {

// Differs from Thrift's reader: the version header is obligatory; a method name is short; a meter,
// where there is one, is asked before anything is allocated; strings take memory while their bytes
// arrive instead of all the length that a peer claims (8 bytes would cost 2 GiB); lists are limited
// by what an entry costs in memory; maps and sets, which no message of ours has, are refused.
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

  // Asked from the next message on; it outlives the reading, or is taken away with null.
  void SetMeter(MessageMeter* meter) { meter_ = meter; }

  // The next binary field that is written empty is written as `bytes` instead, which outlive the
  // write: a chunk travels from where it lies. A message's first binary field is the one to lend.
  void LendBinary(const std::string* bytes) { lent_ = bytes; }
  uint32_t writeBinary_virt(const std::string& bytes) override;

 private:
  uint32_t ReadBounded(std::string& text, int64_t limit, MessageMeter* meter);

  const std::string* lent_ = nullptr;
  MessageMeter* meter_ = nullptr;
  int depth_ = 0;      // of structs: the arguments are one, the request is in it
  int16_t field_ = 0;  // of the request
};

class WireProtocolFactory : public apache::thrift::protocol::TProtocolFactory {
 public:
  std::shared_ptr<apache::thrift::protocol::TProtocol> getProtocol(
      std::shared_ptr<apache::thrift::transport::TTransport> transport) override {
    return std::make_shared<WireProtocol>(std::move(transport));
  }
};

}  // namespace dl::rpc
