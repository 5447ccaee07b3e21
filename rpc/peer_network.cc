#include "rpc/peer_network.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace dl::rpc {

std::string NetworkOf(const std::string& address) {
  // A link-local address ends with a percent sign and the name of its link.
  const std::string bare = address.substr(0, address.find('%'));
  in6_addr bytes = {};
  if (inet_pton(AF_INET6, bare.c_str(), &bytes) != 1) return address;
  std::array<char, INET6_ADDRSTRLEN> text = {};
  if (IN6_IS_ADDR_V4MAPPED(&bytes)) {
    inet_ntop(AF_INET, &bytes.s6_addr[12], text.data(), text.size());
    return text.data();
  }
  if (IN6_IS_ADDR_LOOPBACK(&bytes)) return address;
  std::fill(std::begin(bytes.s6_addr) + 8, std::end(bytes.s6_addr), 0);
  inet_ntop(AF_INET6, &bytes, text.data(), text.size());
  return std::string(text.data()) + "/64";
}

}  // namespace dl::rpc
