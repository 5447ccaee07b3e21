// Address of a master, written as "dl://host:port".
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::rpc {

struct Endpoint {
  std::string host;  // a name, an IPv4 address, or an IPv6 address without brackets
  int port = 0;
  bool operator==(const Endpoint&) const = default;
};

// Accepts dl://HOST:PORT, such as "dl://127.0.0.1:7077", "dl://node-3.cluster:7077" or
// "dl://[::1]:7077", with a port from 1 to 65535. Returns InvalidArgument for any other form.
StatusOr<Endpoint> ParseEndpoint(std::string_view text);
// Returns the form that ParseEndpoint accepts.
std::string ToString(const Endpoint& endpoint);
// Returns whether the host is 127.0.0.0/8, ::1 or "localhost". Looks up no names.
bool IsLoopback(const std::string& host);

}  // namespace dl::rpc
