#include "cli/tensorboard/protobuf_message.h"

#include "cli/tensorboard/number_bytes.h"

namespace dl::cli {
namespace {

// Wire types (protobuf.dev/programming-guides/encoding).
constexpr uint64_t kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5;

}  // namespace

void ProtobufMessage::AppendVarint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
  bytes_ += static_cast<char>(value);
}

void ProtobufMessage::AppendTag(int field, uint64_t wire_type) {
  AppendVarint(static_cast<uint64_t>(field) << 3 | wire_type);
}

ProtobufMessage& ProtobufMessage::Integer(int field, int64_t value) {
  AppendTag(field, kVarint);
  AppendVarint(static_cast<uint64_t>(value));
  return *this;
}

ProtobufMessage& ProtobufMessage::Float(int field, float value) {
  AppendTag(field, kFixed32);
  AppendBytes(value, bytes_);
  return *this;
}

ProtobufMessage& ProtobufMessage::Double(int field, double value) {
  AppendTag(field, kFixed64);
  AppendBytes(value, bytes_);
  return *this;
}

ProtobufMessage& ProtobufMessage::Bytes(int field, std::string_view value) {
  AppendTag(field, kLengthDelimited);
  AppendVarint(value.size());
  bytes_ += value;
  return *this;
}

}  // namespace dl::cli
