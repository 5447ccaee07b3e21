// Encodes messages of Protocol Buffers field by field, without their schema.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dl::cli {

// The bytes of a message. Fields are encoded in the order of the calls. The caller passes the
// numbers of fields from the .proto file. Not thread-safe.
class ProtobufMessage {
 public:
  // Types int32, int64, bool and enum. A negative number takes ten bytes.
  ProtobufMessage& Integer(int field, int64_t value);
  ProtobufMessage& Float(int field, float value);
  ProtobufMessage& Double(int field, double value);
  // Types string, bytes and message, and packed lists of numbers.
  ProtobufMessage& Bytes(int field, std::string_view value);
  ProtobufMessage& Message(int field, const ProtobufMessage& value) {
    return Bytes(field, value.bytes());
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void AppendVarint(uint64_t value);
  void AppendTag(int field, uint64_t wire_type);

  std::string bytes_;
};

}  // namespace dl::cli
