#include "rpc/socket_diag.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstring>

namespace dl::rpc {
namespace {

// Converts an address to inet_diag_sockid, in network byte order.
void SetEnd(const sockaddr_storage& end, __be16& port, __be32 (&address)[4]) {
  if (end.ss_family == AF_INET6) {
    sockaddr_in6 v6;
    memcpy(&v6, &end, sizeof v6);
    port = v6.sin6_port;
    memcpy(address, &v6.sin6_addr, sizeof address);
  } else {
    sockaddr_in v4;
    memcpy(&v4, &end, sizeof v4);
    port = v4.sin_port;
    memcpy(address, &v4.sin_addr, sizeof v4.sin_addr);
  }
}

struct Question {
  nlmsghdr header = {};
  inet_diag_req_v2 socket = {};
};

Question MakeQuestion(const sockaddr_storage& local, const sockaddr_storage& remote) {
  Question question;
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  inet_diag_req_v2& socket = question.socket;
  socket.sdiag_family = static_cast<__u8>(local.ss_family);
  socket.sdiag_protocol = IPPROTO_TCP;
  socket.idiag_states = ~0U;
  SetEnd(local, socket.id.idiag_sport, socket.id.idiag_src);
  SetEnd(remote, socket.id.idiag_dport, socket.id.idiag_dst);
  for (__u32& cookie : socket.id.idiag_cookie) cookie = INET_DIAG_NOCOOKIE;
  return question;
}

std::optional<FoundSocket> ReadReply(int fd) {
  alignas(nlmsghdr) char reply[4096];
  const ssize_t size = ::recv(fd, reply, sizeof reply, 0);
  nlmsghdr header;
  inet_diag_msg socket;
  if (size < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof socket)) return std::nullopt;
  memcpy(&header, reply, sizeof header);
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
  memcpy(&socket, reply + NLMSG_HDRLEN, sizeof socket);
  return FoundSocket{.user = socket.idiag_uid, .has_file = socket.idiag_inode != 0};
}

}  // namespace

std::optional<FoundSocket> FindSocket(const sockaddr_storage& local,
                                      const sockaddr_storage& remote) {
  const int fd = ::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (fd < 0) return std::nullopt;
  const Question question = MakeQuestion(local, remote);
  std::optional<FoundSocket> found;
  if (::send(fd, &question, sizeof question, 0) == sizeof question) found = ReadReply(fd);
  ::close(fd);
  return found;
}

}  // namespace dl::rpc
