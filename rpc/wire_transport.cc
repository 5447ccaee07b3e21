#include "rpc/wire_transport.h"

#include <cstring>

#include "base/limits.h"

namespace dl::rpc {

using apache::thrift::transport::TTransportException;

namespace {
constexpr uint32_t kBufferBytes = 64 << 10;
}

WireTransport::WireTransport(std::shared_ptr<WireSocket> socket, Side side)
    : TBufferedTransport(socket, kBufferBytes, socket->getConfiguration()),
      socket_(std::move(socket)),
      side_(side) {}

uint32_t WireTransport::ReadSocket(uint8_t* buf, uint32_t len) {
  const uint32_t got = socket_->read(buf, len);
  if (side_ == Side::kServer && !socket_->armed())
    socket_->Arm(Clock::Real().Now() + limits::kMessageDeadline);
  message_bytes_ += got;
  if (message_bytes_ > limits::kMaxMessageBytes + kBufferBytes) {
    throw TTransportException(TTransportException::CORRUPTED_DATA, "message over the size limit");
  }
  return got;
}

uint32_t WireTransport::readSlow(uint8_t* buf, uint32_t len) {
  const auto have = static_cast<uint32_t>(rBound_ - rBase_);
  if (have > 0) {
    std::memcpy(buf, rBase_, have);
    setReadBuffer(rBuf_.get(), 0);
    return have;
  }
  if (len >= kBufferBytes) return ReadSocket(buf, len);
  setReadBuffer(rBuf_.get(), ReadSocket(rBuf_.get(), kBufferBytes));
  const auto give = std::min(len, static_cast<uint32_t>(rBound_ - rBase_));
  std::memcpy(buf, rBase_, give);
  rBase_ += give;
  return give;
}

uint32_t WireTransport::readEnd() {
  const uint32_t result = TBufferedTransport::readEnd();
  // Resets Thrift's own count, which only borrow() uses; this protocol never calls it.
  resetConsumedMessageSize();
  message_bytes_ = 0;
  if (side_ == Side::kServer) socket_->Disarm();
  return result;
}

void WireTransport::BeginWrite() {
  if (side_ == Side::kServer && !socket_->armed())
    socket_->Arm(Clock::Real().Now() + limits::kMessageDeadline);
}

void WireTransport::writeSlow(const uint8_t* buf, uint32_t len) {
  BeginWrite();
  TBufferedTransport::writeSlow(buf, len);
}

void WireTransport::flush() {
  if (wBase_ > wBuf_.get()) BeginWrite();
  TBufferedTransport::flush();
  if (side_ == Side::kServer) socket_->Disarm();
}

}  // namespace dl::rpc
