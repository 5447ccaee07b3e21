// Errors of failed connection attempts, for people.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "rpc/endpoint.h"

namespace dl::rpc {

// Returns Unavailable with the machine, its address if it can be looked up, and a remedy. The cause
// is found by the system's error text in `thrift_message`, because Thrift's exception has no errno.
// May wait for a lookup of the host's name.
Status ConnectError(const Endpoint& to, std::string_view thrift_message);

// Returns "node0 (10.0.0.7)", or only the host if it equals the address or the address is empty.
std::string FormatMachine(const std::string& host, const std::string& address);

// Returns DeadlineExceeded with `message`, the master's endpoint as the place, and a remedy.
Status TimeoutError(std::string_view message, const Endpoint& master);

}  // namespace dl::rpc
