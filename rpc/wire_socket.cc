#include "rpc/wire_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/limits.h"

namespace dl::rpc {

using apache::thrift::transport::TSocket;

namespace {

// Size of one write. Progress of a slow peer is measured in such pieces.
constexpr uint32_t kWriteBytes = 32 << 10;

}  // namespace

std::shared_ptr<apache::thrift::TConfiguration> SocketLimits() {
  return std::make_shared<apache::thrift::TConfiguration>(
      static_cast<int>(limits::kMaxMessageBytes), static_cast<int>(limits::kMaxMessageBytes));
}

WireSocket::WireSocket(std::shared_ptr<TSocket> socket, Watchdog* watchdog)
    : TVirtualTransport(socket->getConfiguration()),
      socket_(std::move(socket)),
      watchdog_(watchdog) {}

void WireSocket::close() {
  Forget();
  socket_->close();
}

uint32_t WireSocket::read(uint8_t* bytes, uint32_t count) {
  const uint32_t got = socket_->read(bytes, count);
  moved_bytes_.fetch_add(got, std::memory_order_relaxed);
  return got;
}

void WireSocket::write(const uint8_t* bytes, uint32_t count) {
  for (uint32_t done = 0; done < count;) {
    const uint32_t piece = std::min(count - done, kWriteBytes);
    socket_->write(bytes + done, piece);
    done += piece;
    moved_bytes_.fetch_add(piece, std::memory_order_relaxed);
  }
}

std::function<void()> WireSocket::ShutdownFunction() const {
  return
      [watchdog = watchdog_, life = lifetime_id_] { watchdog->Change(life, Clock::Real().Now()); };
}

void WireSocket::DiscardRest(Duration limit) {
  const int fd = socket_->getSocketFD();
  if (::shutdown(fd, SHUT_WR) != 0) return;
  Arm(Clock::Real().Now() + limit);
  std::array<char, 16 << 10> discarded;
  for (ssize_t got = 1; got > 0 || (got < 0 && errno == EINTR);)
    got = ::recv(fd, discarded.data(), discarded.size(), 0);
}

void WireSocket::Arm(Instant deadline) {
  Disarm();
  watch_ = watchdog_->Arm(socket_->getSocketFD(), deadline);
}

bool WireSocket::Disarm() {
  if (watch_ == 0) return false;
  const bool fired = watchdog_->Disarm(watch_);
  watch_ = 0;
  return fired;
}

uint64_t WireSocket::LimitLifetime(Instant deadline) {
  if (lifetime_id_ == 0) {
    lifetime_id_ = watchdog_->Arm(socket_->getSocketFD(), deadline);
  } else {
    watchdog_->Change(lifetime_id_, deadline);
  }
  return lifetime_id_;
}

void WireSocket::Forget() {
  Disarm();
  if (lifetime_id_ != 0) watchdog_->Disarm(std::exchange(lifetime_id_, 0));
}

void WireSocket::SetTcpOptions() {
  // Best effort: without one of these options, a failure is noticed later, but no answer is wrong.
  const int fd = socket_->getSocketFD();
  auto set = [fd](int level, int option, int value) {
    ::setsockopt(fd, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  const int seconds = static_cast<int>(limits::kPeerTimeout.count() / 1000);
  set(IPPROTO_TCP, TCP_KEEPIDLE, seconds / 3);
  set(IPPROTO_TCP, TCP_KEEPINTVL, seconds / 3);
  set(IPPROTO_TCP, TCP_KEEPCNT, 2);
  // TCP_USER_TIMEOUT is not used: it ends the connection of a healthy peer that reads nothing for a
  // while, such as a master whose memory budget is taken by others. Deadlines end running calls.
}

bool WireSocket::IsIdle() {
  struct pollfd poll_fd = {socket_->getSocketFD(), POLLIN | POLLRDHUP, 0};
  return isOpen() && !socket_->hasPendingDataToRead() && ::poll(&poll_fd, 1, 0) == 0;
}

}  // namespace dl::rpc
