// Asks the kernel for one socket. The answer must agree with /proc/net/tcp.
#include "rpc/socket_diag.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <unistd.h>

#include "gtest/gtest.h"

namespace dl::rpc {
namespace {

struct Way {
  const char* name;
  const char* listens;
  const char* connects;
};

struct AddressOf {
  sockaddr_storage storage = {};
  socklen_t size = sizeof storage;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

AddressOf MakeAddress(const std::string& host, in_port_t port) {
  AddressOf address;
  if (host.find(':') == std::string::npos) {
    sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = port};
    ::inet_pton(AF_INET, host.c_str(), &v4.sin_addr);
    memcpy(&address.storage, &v4, address.size = sizeof v4);
  } else {
    sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = port};
    ::inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr);
    memcpy(&address.storage, &v6, address.size = sizeof v6);
  }
  return address;
}

// Returns whether this kernel reports sockets of a family. Asks for all sockets, because this needs
// no address. For an unknown family the kernel answers with an error or with an empty list.
bool KernelLists(sa_family_t family) {
  struct {
    nlmsghdr header = {};
    inet_diag_req_v2 sockets = {};
  } all;
  all.header = {.nlmsg_len = sizeof all,
                .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP};
  all.sockets.sdiag_family = static_cast<__u8>(family);
  all.sockets.sdiag_protocol = IPPROTO_TCP;
  all.sockets.idiag_states = ~0U;
  const int fd = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (fd < 0) return false;
  alignas(nlmsghdr) char reply[1 << 15];
  ssize_t size = -1;
  if (::send(fd, &all, sizeof all, 0) == sizeof all) size = ::recv(fd, reply, sizeof reply, 0);
  ::close(fd);
  nlmsghdr header;
  if (size < static_cast<ssize_t>(sizeof header)) return false;
  memcpy(&header, reply, sizeof header);
  return header.nlmsg_type == SOCK_DIAG_BY_FAMILY;
}

class SocketDiagTest : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    AddressOf any = MakeAddress(GetParam().listens, 0);
    listener_ = ::socket(any.storage.ss_family, SOCK_STREAM, 0);
    if (::bind(listener_, any.get(), any.size) != 0)
      GTEST_SKIP() << "this machine has no " << GetParam().listens;
    ASSERT_EQ(::listen(listener_, 8), 0);
    ASSERT_EQ(::getsockname(listener_, any.get(), &any.size), 0);
    const in_port_t port = reinterpret_cast<const sockaddr_in&>(any.storage).sin_port;
    AddressOf to = MakeAddress(GetParam().connects, port);
    client_ = ::socket(to.storage.ss_family, SOCK_STREAM, 0);
    ASSERT_EQ(::connect(client_, to.get(), to.size), 0);
    ASSERT_EQ(::getsockname(client_, here_.get(), &here_.size), 0);
    ASSERT_EQ(::getpeername(client_, there_.get(), &there_.size), 0);
    // Sockets of that family exist now, so a kernel that supports the query lists some.
    if (!KernelLists(to.storage.ss_family))
      GTEST_SKIP() << "this kernel answers no questions for a socket";
    ASSERT_TRUE(FindSocket(here_.storage, there_.storage).has_value());
  }
  ~SocketDiagTest() override {
    ::close(client_);
    ::close(listener_);
  }

  std::optional<FoundSocket> Peer() const { return FindSocket(there_.storage, here_.storage); }
  std::optional<FoundSocket> Listener() const {
    return FindSocket(there_.storage, {.ss_family = there_.storage.ss_family});
  }

  int listener_ = -1, client_ = -1;
  AddressOf here_, there_;
};

TEST_P(SocketDiagTest, BeforeAndAfterItIsAccepted) {
  ASSERT_TRUE(Peer().has_value());
  EXPECT_FALSE(Peer()->has_file);
  ASSERT_TRUE(Listener().has_value());
  EXPECT_TRUE(Listener()->has_file);
  EXPECT_EQ(Listener()->user, geteuid());
  const int accepted = ::accept(listener_, nullptr, nullptr);
  ASSERT_TRUE(Peer().has_value());
  EXPECT_TRUE(Peer()->has_file);
  EXPECT_EQ(Peer()->user, geteuid());
  ::close(accepted);
}

TEST_P(SocketDiagTest, UnknownConnectionIsNotFound) {
  ::close(listener_);
  listener_ = -1;
  EXPECT_FALSE(Listener().has_value());
  std::swap(here_, there_);  // the client's own end, which does not listen
  EXPECT_FALSE(Listener().has_value());
}

INSTANTIATE_TEST_SUITE_P(Ways, SocketDiagTest,
                         testing::Values(Way{"V4", "127.0.0.1", "127.0.0.1"},
                                         Way{"V6", "::1", "::1"},
                                         Way{"Any", "0.0.0.0", "127.0.0.1"},
                                         Way{"V4OfBoth", "::", "127.0.0.1"},
                                         Way{"V6OfBoth", "::", "::1"}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace dl::rpc
