// The network that a peer comes from, as far as its address tells.
#pragma once

#include <string>

namespace dl::rpc {

// The key of limits per address. IPv4, also as an IPv6 address that maps one: the address. IPv6:
// its first 64 bits, "2001:db8:0:1::/64", because one machine may have all addresses of such a
// network. Any other text stays as it is.
std::string NetworkOf(const std::string& address);

}  // namespace dl::rpc
