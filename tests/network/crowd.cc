#include "tests/network/crowd.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

namespace dl::test {
namespace {

// Returns the first record of a TLS client, of 512 bytes. OpenSSL finds no error in it before it
// has read all of it: a ClientHello (RFC 8446, section 4.1.2) of TLS 1.2 with one suite, filled up
// with padding (RFC 7685).
std::string FirstRecord() {
  const auto u16 = [](size_t n) {
    return std::string{static_cast<char>(n >> 8), static_cast<char>(n)};
  };
  constexpr size_t kRecord = 512;
  std::string body = "\x03\x03" + std::string(32, 'r');
  body += std::string(1, '\0') + u16(2) + "\xc0\x2b" + "\x01" + std::string(1, '\0');
  std::string extensions = u16(10) + u16(4) + u16(2) + u16(23);  // P-256
  extensions += u16(13) + u16(4) + u16(2) + u16(0x0403);         // with ECDSA
  const size_t padding = kRecord - 4 - body.size() - 2 - extensions.size() - 4;
  extensions += u16(21) + u16(padding) + std::string(padding, '\0');
  body += u16(extensions.size()) + extensions;
  return "\x16\x03\x01" + u16(kRecord) + "\x01" + std::string(1, '\0') + u16(body.size()) + body;
}

constexpr int kTickMs = 100;

enum Kind : size_t { kSilent, kHalfAHello, kDrips, kHelloAndNoMore, kKinds };

// Returns how many of the `hello` bytes a connection of this kind has sent after this tick, if it
// had sent `said` bytes before.
size_t SaysUntil(Kind kind, size_t said, size_t hello) {
  switch (kind) {
    case kHalfAHello:
      return hello / 2;
    case kDrips:
      return std::min(said + 1, hello);
    case kHelloAndNoMore:
      return hello;
    default:
      return 0;
  }
}

bool IsClosed(int fd) {
  std::array<char, 256> bytes;
  const ssize_t got = recv(fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

}  // namespace

Crowd::Crowd(const Machine& machine, std::string host, int port, int count)
    : host_(std::move(host)), port_(port), count_(count), stop_(eventfd(0, EFD_CLOEXEC)) {
  thread_ = Thread("crowd", [this, &machine] {
    machine.Enter();
    Run();
  });
}

Crowd::~Crowd() {
  eventfd_write(stop_.get(), 1);
  thread_.Join();
}

void Crowd::Run() {
  sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(static_cast<uint16_t>(port_))};
  inet_pton(AF_INET, host_.c_str(), &to.sin_addr);
  const std::string hello = FirstRecord();
  struct Peer {
    FileDescriptor socket;
    size_t said = 0;
  };
  std::vector<Peer> peers(static_cast<size_t>(count_));
  for (pollfd stop = {stop_.get(), POLLIN, 0}; poll(&stop, 1, kTickMs) <= 0;) {
    for (size_t i = 0; i < peers.size(); ++i) {
      Peer& peer = peers[i];
      if (!peer.socket.valid() || IsClosed(peer.socket.get())) {
        peer = {FileDescriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))};
        (void)connect(peer.socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to));
        ++opened_;
      }
      const size_t end = SaysUntil(static_cast<Kind>(i % kKinds), peer.said, hello.size());
      const ssize_t sent = send(peer.socket.get(), hello.data() + peer.said, end - peer.said,
                                MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent > 0) peer.said += static_cast<size_t>(sent);
    }
  }
}

}  // namespace dl::test
