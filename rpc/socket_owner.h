// Whose processes sockets of this machine belong to.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <optional>
#include <string>

namespace dl::rpc {

// Of a listener on that port, of IPv4 or IPv6, on any address; nullopt where nobody does, or the
// system does not say.
std::optional<uid_t> OwnerOfListener(int port);

// Who has the other end of a connected socket, which is on this machine: the user that accepted
// it, or, before that, the one who listens there. nullopt where it is elsewhere, or the system does
// not say.
std::optional<uid_t> OwnerOfPeer(int fd);

// The two ends of a connection, as seen from this one.
struct SocketEnds {
  sockaddr_storage here = {};
  sockaddr_storage there = {};
};

// The same, of the kernel's tables (proc(5): /proc/net/tcp and tcp6).
std::optional<uid_t> OwnerOfPeer(const std::string& tcp, const std::string& tcp6,
                                 const SocketEnds& ends);

}  // namespace dl::rpc
