#include "rpc/lobby.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/log.h"
#include "base/system_error.h"
#include "rpc/peer_network.h"

namespace dl::rpc {

using apache::thrift::transport::TTransportException;

namespace {

constexpr uint64_t kListener = 0;
constexpr uint64_t kWake = 1;
constexpr uint64_t kFirstConnection = 2;

constexpr Duration kWarningPause = std::chrono::seconds(60);
// How often connections are checked that wait until their address may enter.
constexpr int kAddressCheckMs = 10;

// RFC 8446, section 5.1: a record consists of a type, a version of two bytes, a length of two
// bytes, and that many bytes.
constexpr uint8_t kHandshakeRecord = 22;
constexpr ssize_t kRecordHeader = 5;
constexpr int kMaxRecord = 1 << 14;

enum class PeerData { kTooLittle, kEnough, kGone };

// Looks at what a peer has sent so far, without consuming it. `ended`: the peer will send no more.
PeerData PeekAtData(int fd, bool encrypted, bool ended) {
  std::array<uint8_t, kRecordHeader> head;
  const ssize_t got = ::recv(fd, head.data(), head.size(), MSG_PEEK | MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return PeerData::kTooLittle;
  if (got <= 0) return PeerData::kGone;
  // Other data is not a handshake; the reader refuses it with a better message.
  if (!encrypted || head[0] != kHandshakeRecord || ended) return PeerData::kEnough;
  if (got < kRecordHeader) return PeerData::kTooLittle;
  const int record = std::min(kMaxRecord, head[3] << 8 | head[4]);
  int there = 0;
  if (::ioctl(fd, FIONREAD, &there) != 0) return PeerData::kGone;
  return there >= kRecordHeader + record ? PeerData::kEnough : PeerData::kTooLittle;
}

}  // namespace

StatusOr<std::unique_ptr<Lobby>> Lobby::Open(Options options) {
  auto lobby = std::unique_ptr<Lobby>(new Lobby(std::move(options)));
  lobby->next_ = kFirstConnection;
  lobby->epoll_ = FileDescriptor(::epoll_create1(EPOLL_CLOEXEC));
  if (!lobby->epoll_.valid()) return SystemError(errno, "wait for", "connections");
  lobby->wake_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!lobby->wake_.valid()) return SystemError(errno, "wait for", "connections");
  DL_RETURN_IF_ERROR(lobby->Watch(lobby->wake_.get(), EPOLLIN, kWake));
  return lobby;
}

Status Lobby::Watch(int fd, uint32_t events, uint64_t name) {
  epoll_event event = {.events = events, .data = {.u64 = name}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0) return absl::OkStatus();
  return SystemError(errno, "wait for", "a connection");
}

Lobby::Socket Lobby::Next(int listener, const std::function<Socket()>& accept) {
  for (std::array<epoll_event, 64> events;;) {
    if (!listens_ && accept_retry_at_ <= Clock::Real().Now())
      listens_ = Watch(listener, EPOLLIN, kListener).ok();
    CloseLate();
    if (Socket entered = TakeReady()) return entered;
    const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), WaitMs());
    for (int i = 0; i < count; ++i) {
      const uint64_t name = events[i].data.u64;
      if (name == kWake) {
        waiting_.clear();
        ready_.clear();
        return nullptr;
      }
      if (name == kListener) {
        AcceptOne(listener, accept);
      } else {
        OnReadable(name, (events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0);
      }
    }
  }
}

void Lobby::Wake() { ::eventfd_write(wake_.get(), 1); }

void Lobby::AcceptOne(int listener, const std::function<Socket()>& accept) {
  try {
    AddWaiting(accept());
  } catch (const TTransportException& error) {
    if (error.getType() == TTransportException::INTERRUPTED) throw;
    if (!waiting_.empty()) Close(waiting_.begin()->first);
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener, nullptr);
    listens_ = false;
    const Instant now = Clock::Real().Now();
    accept_retry_at_ = now + kAcceptRetryPause;
    if (now < warned_at_ + kWarningPause) return;
    warned_at_ = now;
    LogWarning("cannot accept a connection: ", error.what(),
               ". It is tried again. Raise the limit of open files (ulimit -n) if this goes on");
  }
}

void Lobby::AddWaiting(Socket socket) {
  if (static_cast<int64_t>(waiting_.size()) >= options_.capacity) Close(waiting_.begin()->first);
  const uint64_t name = next_++;
  const int fd = socket->getSocketFD();
  std::string address = NetworkOf(socket->getPeerAddress());
  waiting_[name] = {std::move(socket), std::move(address), Clock::Real().Now()};
  if (!Watch(fd, EPOLLIN | EPOLLRDHUP | EPOLLET, name).ok()) Close(name);
}

void Lobby::OnReadable(uint64_t name, bool ended) {
  const auto connection = waiting_.find(name);
  if (connection == waiting_.end()) return;  // closed to make room for a new connection
  const int fd = connection->second.socket->getSocketFD();
  switch (PeekAtData(fd, options_.encrypted, ended)) {
    case PeerData::kTooLittle:
      return;
    case PeerData::kGone:
      Close(name);
      return;
    case PeerData::kEnough:
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
      ready_[connection->second.address].push_back(name);
  }
}

// Takes the newest connection of an address first. So an honest peer can enter even if many idle
// connections of its address are waiting.
Lobby::Socket Lobby::TakeReady() {
  for (auto& [address, waiting] : ready_) {
    if (!options_.may_enter(address)) continue;
    const auto connection = waiting_.find(waiting.back());
    Socket socket = std::move(connection->second.socket);
    Close(connection->first);
    return socket;
  }
  return nullptr;
}

void Lobby::CloseLate() {
  const Instant late = Clock::Real().Now() - options_.timeout;
  while (!waiting_.empty() && waiting_.begin()->second.since <= late)
    Close(waiting_.begin()->first);
}

// Closes the socket too, unless it was moved to the caller of Next.
void Lobby::Close(uint64_t name) {
  const auto connection = waiting_.find(name);
  if (const auto ready = ready_.find(connection->second.address); ready != ready_.end()) {
    std::erase(ready->second, name);
    if (ready->second.empty()) ready_.erase(ready);
  }
  waiting_.erase(connection);
}

int Lobby::WaitMs() const {
  if (!ready_.empty()) return kAddressCheckMs;
  Instant due = Instant::Max();
  if (!waiting_.empty()) due = waiting_.begin()->second.since + options_.timeout;
  if (!listens_) due = std::min(due, accept_retry_at_);
  if (due == Instant::Max()) return -1;
  const Duration left = due - Clock::Real().Now();
  // Rounded up, so that the connection is late when the wait ends.
  return static_cast<int>(
      std::max<int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(left).count()));
}

}  // namespace dl::rpc
