// The network of a peer, derived from its address.
#pragma once

#include <string>

namespace dl::rpc {

// Returns the key for limits per address:
// - IPv4, also as IPv4-mapped IPv6: the IPv4 address.
// - IPv6: the first 64 bits, "2001:db8:0:1::/64", because one machine may own all addresses of such
//   a network. The name of a link ("%eth0") is dropped.
// - "::1" and other texts: the text unchanged.
std::string NetworkOf(const std::string& address);

}  // namespace dl::rpc
