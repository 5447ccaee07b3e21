#include "tests/network/relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "base/philox.h"
#include "gtest/gtest.h"

namespace dl::test {
namespace {

constexpr int64_t kMaxInProgress = 16 << 20;  // bytes in flight in one direction of a connection

// Bytes that are read from one socket and written to another after a delay.
class Lane {
 public:
  Lane(int from, int to) : from_(from), to_(to) {}

  int from() const { return from_; }
  int to() const { return to_; }
  bool wants_to_read() const { return !ended_ && under_way_ < kMaxInProgress; }
  bool done() const { return ended_ && pieces_.empty(); }
  const Instant* next_due() const { return pieces_.empty() ? nullptr : &pieces_.front().due; }

  // Both functions return false if the connection is broken. `count` is the number of bytes read.
  bool Read(Instant due, int64_t& count) {
    std::array<char, 64 << 10> bytes;
    const ssize_t got = recv(from_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    last_due_ = std::max(last_due_, due);
    pieces_.push_back({last_due_, std::string(bytes.data(), static_cast<size_t>(got))});
    under_way_ += got;
    count = got;
    ended_ = got == 0;
    return true;
  }
  bool Write(Instant now) {
    while (!pieces_.empty() && pieces_.front().due <= now) {
      std::string& bytes = pieces_.front().bytes;
      if (bytes.empty()) {
        shutdown(to_, SHUT_WR);
        pieces_.pop_front();
        continue;
      }
      const ssize_t sent = send(to_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent < 0) return errno == EAGAIN || errno == EINTR;
      under_way_ -= sent;
      bytes.erase(0, static_cast<size_t>(sent));
      if (!bytes.empty()) return true;
      pieces_.pop_front();
    }
    return true;
  }

 private:
  struct Piece {
    Instant due;
    std::string bytes;  // empty: end of the stream
  };
  const int from_, to_;
  std::deque<Piece> pieces_;
  Instant last_due_;
  int64_t under_way_ = 0;
  bool ended_ = false;
};

struct Connection {
  Connection(FileDescriptor near_side, FileDescriptor far_side)
      : near(std::move(near_side)),
        far(std::move(far_side)),
        lanes{Lane(near.get(), far.get()), Lane(far.get(), near.get())} {}
  // Makes both ends close with a reset, like a host that does not know the connection.
  void Reset() const {
    const linger at_once = {.l_onoff = 1, .l_linger = 0};
    for (const int fd : {near.get(), far.get()})
      setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  }

  FileDescriptor near, far;
  std::array<Lane, 2> lanes;  // towards the host, and back
  int64_t sent = 0;           // bytes sent towards the host
};

void SendAtOnce(int fd) {
  const int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

}  // namespace

class Relay::Loop {
 public:
  explicit Loop(Relay& relay) : relay_(relay) {}

  void Run() {
    std::vector<pollfd> waits;
    for (;;) {
      waits = {{relay_.stop_.get(), POLLIN, 0}, {relay_.listener_.get(), POLLIN, 0}};
      const int64_t limit = Gather(waits);
      if (poll(waits.data(), waits.size(), static_cast<int>(limit)) < 0 && errno != EINTR) return;
      if (waits[0].revents != 0) return;
      if (waits[1].revents != 0) Accept();
      std::erase_if(connections_, [&](const auto& connection) { return !Move(*connection); });
    }
  }

 private:
  // Sets the descriptors to wait for. Returns how many milliseconds to wait at most.
  int64_t Gather(std::vector<pollfd>& waits) const {
    const Instant now = Clock::Real().Now();
    int64_t limit = 1000;
    for (const auto& connection : connections_) {
      for (const Lane& lane : connection->lanes) {
        if (lane.wants_to_read()) waits.push_back({lane.from(), POLLIN, 0});
        const Instant* due = lane.next_due();
        if (due == nullptr) continue;
        if (*due <= now) {
          waits.push_back({lane.to(), POLLOUT, 0});
        } else {
          const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - now);
          limit = std::min<int64_t>(limit, left.count());
        }
      }
    }
    return limit;
  }

  void Accept() {
    FileDescriptor near(accept4(relay_.listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    FileDescriptor far(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!near.valid() || !far.valid()) return;
    SendAtOnce(near.get());
    SendAtOnce(far.get());
    sockaddr_in to = {.sin_family = AF_INET,
                      .sin_port = htons(static_cast<uint16_t>(relay_.options_.port))};
    inet_pton(AF_INET, relay_.options_.host.c_str(), &to.sin_addr);
    // Continues without waiting for the connection. A failure shows when the socket is read.
    (void)connect(far.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to));
    connections_.push_back(std::make_unique<Connection>(std::move(near), std::move(far)));
  }

  // Returns false if the connection has ended.
  bool Move(Connection& connection) {
    const Instant now = Clock::Real().Now();
    for (size_t i = 0; i < connection.lanes.size(); ++i) {
      Lane& lane = connection.lanes[i];
      int64_t count = 0;
      if (lane.wants_to_read() && !lane.Read(now + Delay(), count)) {
        connection.Reset();
        return false;
      }
      if (i == 0) connection.sent += count;
      const int64_t most = relay_.options_.reset_each_after;
      if ((most > 0 && connection.sent > most) || (count > 0 && IsToBeReset(count))) {
        connection.Reset();
        ++relay_.resets_;
        return false;
      }
      if (!lane.Write(now)) {
        connection.Reset();
        return false;
      }
    }
    return !connection.lanes[0].done() || !connection.lanes[1].done();
  }

  bool IsToBeReset(int64_t count) const {
    const int64_t left = relay_.until_reset_;
    if (left < 0) return false;
    relay_.until_reset_ = left > count ? left - count : -1;
    return left <= count;
  }

  Duration Delay() {
    const int64_t jitter = relay_.options_.jitter.count();
    if (jitter == 0) return relay_.options_.delay;
    const auto shift = static_cast<int64_t>(random_.Bounded(2 * static_cast<uint64_t>(jitter) + 1));
    return relay_.options_.delay + Duration(shift - jitter);
  }

  Relay& relay_;
  RandomStream random_{{.seed = 1, .purpose = RandomPurpose::kForTests}};
  std::vector<std::unique_ptr<Connection>> connections_;
};

Relay::Relay(const Machine& machine, Options options)
    : options_(std::move(options)), address_(machine.v4()), stop_(eventfd(0, EFD_CLOEXEC)) {
  // Uses a thread of its own, because a thread that has entered a machine cannot return.
  Thread("relay-listen", [&] {
    machine.Enter();
    listener_ = FileDescriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = {.sin_family = AF_INET,
                                 .sin_port = htons(static_cast<uint16_t>(options_.port))};
    const bool listens =
        bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
        listen(listener_.get(), SOMAXCONN) == 0;
    EXPECT_TRUE(listens) << strerror(errno);
  }).Join();
  thread_ = Thread("relay", [this, &machine] {
    machine.Enter();
    Loop(*this).Run();
  });
}

Relay::~Relay() {
  eventfd_write(stop_.get(), 1);
  thread_.Join();
}

}  // namespace dl::test
