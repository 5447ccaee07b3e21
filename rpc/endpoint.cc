#include "rpc/endpoint.h"

#include <arpa/inet.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace dl::rpc {
namespace {

Status Bad(std::string_view text, std::string_view why) {
  return InvalidArgument(
      {.message = absl::StrCat("\"", std::string(text),
                               "\" is not an address of a master: ", std::string(why)),
       .where = std::string(text),
       .remedy = "Write dl://HOST:PORT, as in dl://127.0.0.1:7077."});
}

bool IsHostCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_';
}
bool IsIpv6Character(char c) {
  return absl::ascii_isxdigit(static_cast<unsigned char>(c)) || c == ':' || c == '.';
}

}  // namespace

StatusOr<Endpoint> ParseEndpoint(std::string_view text) {
  constexpr std::string_view kScheme = "dl://";
  if (!text.starts_with(kScheme)) return Bad(text, "it does not begin with dl://");
  std::string_view rest = text.substr(kScheme.size());
  const size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos) return Bad(text, "the port is missing");
  std::string_view host = rest.substr(0, colon);
  const std::string_view port = rest.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    if (!std::all_of(host.begin(), host.end(), IsIpv6Character))
      return Bad(text, "the host is no IPv6 address");
  } else if (!std::all_of(host.begin(), host.end(), IsHostCharacter)) {
    return Bad(text,
               "the host has a character that no host name has (an IPv6 address goes in brackets)");
  }
  if (host.empty()) return Bad(text, "the host is missing");
  if (host.size() > 253) return Bad(text, "the host is longer than a host name can be");
  int number = 0;
  const bool digits =
      !port.empty() && port.size() <= 5 &&
      std::all_of(port.begin(), port.end(), [](unsigned char c) { return absl::ascii_isdigit(c); });
  if (!digits || !absl::SimpleAtoi(std::string(port), &number) || number < 1 || number > 65535) {
    return Bad(text, "the port is no number from 1 to 65535");
  }
  return Endpoint{.host = std::string(host), .port = number};
}

std::string ToString(const Endpoint& endpoint) {
  const bool brackets = absl::StrContains(endpoint.host, ':');
  return absl::StrCat("dl://", brackets ? "[" : "", endpoint.host, brackets ? "]" : "", ":",
                      endpoint.port);
}

bool IsLoopback(const std::string& host) {
  in_addr v4;
  if (::inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  return host == "::1" || host == "localhost";
}

}  // namespace dl::rpc
