#include "rpc/wire_protocol.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace dl::rpc {

using apache::thrift::protocol::TMessageType;
using apache::thrift::protocol::TProtocol;
using apache::thrift::protocol::TProtocolException;
using apache::thrift::protocol::TType;

namespace {

constexpr int64_t kMaxMethodName = 64;
constexpr int kRequestDepth = 2;
// Bytes of a string that are read at once. Growing the string fills them with zeros, which are
// still in the cache when the bytes arrive.
constexpr size_t kReadBytes = limits::kMessageStepBytes;

// Returns how many values of a type a list may hold; 0 for types that never occur in lists. Except
// for lists themselves, the other types are all types that messages contain.
int64_t LongestList(int8_t type) {
  switch (type) {
    case apache::thrift::protocol::T_BOOL:
    case apache::thrift::protocol::T_BYTE:
    case apache::thrift::protocol::T_I16:
    case apache::thrift::protocol::T_I32:
    case apache::thrift::protocol::T_I64:
    case apache::thrift::protocol::T_DOUBLE:
      return limits::kMaxContainer;
    case apache::thrift::protocol::T_STRING:
    case apache::thrift::protocol::T_STRUCT:
      return limits::kMaxListEntries;
    default:
      return 0;
  }
}

}  // namespace

WireProtocol::WireProtocol(std::shared_ptr<apache::thrift::transport::TTransport> transport)
    : apache::thrift::protocol::TBinaryProtocolT<apache::thrift::transport::TTransport>(
          std::move(transport), static_cast<int32_t>(limits::kMaxStringBytes),
          static_cast<int32_t>(limits::kMaxContainer), /*strict_read=*/true,
          /*strict_write=*/true) {}

uint32_t WireProtocol::readMessageBegin_virt(std::string& name, TMessageType& type,
                                             int32_t& seqid) {
  int32_t header = 0;
  uint32_t read = readI32(header);
  if ((header & VERSION_MASK) != VERSION_1) {
    throw TProtocolException(TProtocolException::BAD_VERSION, "not a strict binary Thrift message");
  }
  const int32_t kind = header & 0xff;
  if (kind < apache::thrift::protocol::T_CALL || kind > apache::thrift::protocol::T_ONEWAY) {
    throw TProtocolException(TProtocolException::INVALID_DATA, "a message of no known kind");
  }
  type = static_cast<TMessageType>(kind);
  read += ReadBounded(name, kMaxMethodName, nullptr);
  depth_ = 0;
  field_ = 0;
  if (meter_ != nullptr) meter_->Begin(name);
  return read + readI32(seqid);
}

uint32_t WireProtocol::readStructBegin_virt(std::string& name) {
  ++depth_;
  return readStructBegin(name);
}

uint32_t WireProtocol::readStructEnd_virt() {
  --depth_;
  return readStructEnd();
}

// Thrift's version casts the byte from the peer to an enumeration without a check.
uint32_t WireProtocol::readFieldBegin_virt(std::string&, TType& type, int16_t& id) {
  int8_t tag = 0;
  id = 0;
  uint32_t read = readByte(tag);
  if (tag != apache::thrift::protocol::T_STOP) {
    if (tag != apache::thrift::protocol::T_LIST && LongestList(tag) == 0) {
      throw TProtocolException(TProtocolException::INVALID_DATA, "a field of what no message has");
    }
    read += readI16(id);
    if (depth_ == kRequestDepth) field_ = id;
  }
  type = static_cast<TType>(tag);
  return read;
}

uint32_t WireProtocol::ReadBounded(std::string& text, int64_t limit, MessageMeter* meter) {
  int32_t size = 0;
  readI32(size);
  if (size < 0) throw TProtocolException(TProtocolException::NEGATIVE_SIZE);
  if (size > limit) throw TProtocolException(TProtocolException::SIZE_LIMIT);
  if (meter != nullptr) meter->AnnounceBytes(field_, size);
  // With a meter the whole length is reserved, so that the string is never copied; memory is
  // touched only as bytes arrive. Without a meter, one chunk of the length is reserved at a time.
  text.clear();
  const auto whole = static_cast<size_t>(size);
  const size_t believed = meter != nullptr ? whole : limits::kChunkBytes;
  for (size_t have = 0, most = 0; have < whole;) {
    if (have == most) {
      most = std::min(whole, have + std::max(believed, have));
      text.reserve(most);
    }
    text.resize(std::min(most, have + kReadBytes));
    // Each part is charged when it arrives: the rest may never come.
    const uint32_t got = trans_->read(reinterpret_cast<uint8_t*>(text.data()) + have,
                                      static_cast<uint32_t>(text.size() - have));
    if (got == 0) {
      throw apache::thrift::transport::TTransportException(
          apache::thrift::transport::TTransportException::END_OF_FILE, "No more data to read.");
    }
    have += got;
    if (meter != nullptr) meter->ReceiveBytes(got);
  }
  return 4 + static_cast<uint32_t>(size);
}

uint32_t WireProtocol::readString_virt(std::string& text) {
  return ReadBounded(text, limits::kMaxStringBytes, meter_);
}

uint32_t WireProtocol::readBinary_virt(std::string& bytes) {
  return ReadBounded(bytes, limits::kMaxStringBytes, meter_);
}

uint32_t WireProtocol::writeBinary_virt(const std::string& bytes) {
  if (lent_ == nullptr || !bytes.empty()) return writeBinary(bytes);
  return writeBinary(*std::exchange(lent_, nullptr));
}

uint32_t WireProtocol::readListBegin_virt(TType& type, uint32_t& size) {
  int8_t tag = 0;
  int32_t count = 0;
  uint32_t read = readByte(tag);
  read += readI32(count);
  const int64_t limit = LongestList(tag);
  if (limit == 0) {
    throw TProtocolException(TProtocolException::INVALID_DATA, "a list of what no message has");
  }
  if (count < 0) throw TProtocolException(TProtocolException::NEGATIVE_SIZE);
  if (count > limit) throw TProtocolException(TProtocolException::SIZE_LIMIT);
  if (meter_ != nullptr) {
    // The generated code allocates all entries at once.
    const int64_t bytes = count * (limit == limits::kMaxListEntries ? limits::kListEntryBytes
                                                                    : limits::kNumberEntryBytes);
    meter_->AnnounceBytes(field_, bytes);
    meter_->ReceiveBytes(bytes);
  }
  type = static_cast<TType>(tag);
  size = static_cast<uint32_t>(count);
  return read;
}

uint32_t WireProtocol::readSetBegin_virt(TType&, uint32_t&) {
  throw TProtocolException(TProtocolException::INVALID_DATA, "no message has a set");
}

uint32_t WireProtocol::readMapBegin_virt(TType&, TType&, uint32_t&) {
  throw TProtocolException(TProtocolException::INVALID_DATA, "no message has a map");
}

// Thrift's skip would call its own readers, which trust lengths.
uint32_t WireProtocol::skip_virt(TType type) {
  return apache::thrift::protocol::skip(static_cast<TProtocol&>(*this), type);
}

}  // namespace dl::rpc
