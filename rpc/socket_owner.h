// Finds the user whose process owns a socket of this machine.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <optional>
#include <string>

namespace dl::rpc {

// Returns the owner of a listener on this port (IPv4 or IPv6, any address). Returns nullopt if
// nothing listens on it, or the system does not report it.
std::optional<uid_t> OwnerOfListener(int port);

// Returns the owner of the other end of a connected socket on this machine: the user that accepted
// it, or before that the user of the listener. Returns nullopt if the other end is on another
// machine, or the system does not report it.
std::optional<uid_t> OwnerOfPeer(int fd);

// The two ends of a connection, as seen from this end.
struct SocketEnds {
  sockaddr_storage local = {};
  sockaddr_storage remote = {};
};

// Like OwnerOfPeer(fd), from the text of the kernel's tables (proc(5): /proc/net/tcp and tcp6).
std::optional<uid_t> OwnerOfPeer(const std::string& tcp, const std::string& tcp6,
                                 const SocketEnds& ends);

}  // namespace dl::rpc
