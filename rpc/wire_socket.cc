#include "rpc/wire_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/limits.h"

namespace dl::rpc {
namespace {

std::shared_ptr<apache::thrift::TConfiguration> Limits() {
  return std::make_shared<apache::thrift::TConfiguration>(
      static_cast<int>(limits::kMaxMessageBytes), static_cast<int>(limits::kMaxMessageBytes));
}

}  // namespace

WireSocket::WireSocket(const std::string& host, int port, Watchdog* watchdog)
    : TSocket(host, port, Limits()), watchdog_(watchdog) {}

WireSocket::WireSocket(int fd, std::shared_ptr<int> interrupt, Watchdog* watchdog)
    : TSocket(fd, std::move(interrupt), Limits()), watchdog_(watchdog) {}

void WireSocket::close() {
  Disarm();
  TSocket::close();
}

void WireSocket::Arm(Instant deadline) {
  Disarm();
  watch_ = watchdog_->Arm(getSocketFD(), deadline);
}

bool WireSocket::Disarm() {
  if (watch_ == 0) return false;
  const bool fired = watchdog_->Disarm(watch_);
  watch_ = 0;
  return fired;
}

void WireSocket::SetTcpOptions() {
  // Best effort: a kernel without one of them costs a slower notice, not a wrong answer.
  const int fd = getSocketFD();
  auto set = [fd](int level, int option, int value) {
    ::setsockopt(fd, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  const int seconds = static_cast<int>(limits::kPeerTimeout.count() / 1000);
  set(IPPROTO_TCP, TCP_KEEPIDLE, seconds / 3);
  set(IPPROTO_TCP, TCP_KEEPINTVL, seconds / 3);
  set(IPPROTO_TCP, TCP_KEEPCNT, 2);
  // No TCP_USER_TIMEOUT: it ends a connection whose peer is well and reads nothing for that long,
  // as a master does whose share of memory others have. Deadlines end what is under way.
}

bool WireSocket::Quiet() {
  struct pollfd poll_fd = {getSocketFD(), POLLIN | POLLRDHUP, 0};
  return isOpen() && ::poll(&poll_fd, 1, 0) == 0;
}

}  // namespace dl::rpc
