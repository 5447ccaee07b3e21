#include "tests/network/crowd.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>
#include <vector>

namespace dl::test {
namespace {

// How a TLS client begins: a record of 512 bytes, of which no more comes.
constexpr char kBegin[] = {0x16, 0x03, 0x01, 0x02, 0x00, 0x01};
constexpr int kTickMs = 100;
constexpr size_t kKinds = 3;

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
  std::vector<FileDescriptor> peers(static_cast<size_t>(count_));
  for (pollfd stop = {stop_.get(), POLLIN, 0}; poll(&stop, 1, kTickMs) <= 0;) {
    for (size_t i = 0; i < peers.size(); ++i) {
      const int fd = peers[i].get();
      const size_t kind = i % kKinds;
      if (peers[i].valid() && !IsClosed(fd)) {
        if (kind == 2) (void)send(fd, kBegin, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        continue;
      }
      peers[i] = FileDescriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      (void)connect(peers[i].get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to));
      if (kind == 1)
        (void)send(peers[i].get(), kBegin, sizeof(kBegin), MSG_DONTWAIT | MSG_NOSIGNAL);
      ++opened_;
    }
  }
}

}  // namespace dl::test
