// Errors of failed connection attempts, for people.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "rpc/endpoint.h"

namespace dl::rpc {

// Returns Unavailable with the machine, its address and a remedy. `said` is Thrift's message, which
// is the only place where it keeps the system's error.
Status ConnectError(const Endpoint& to, std::string_view said);

// Returns "node0 (10.0.0.7)", or only the host if it equals the address or the address is empty.
std::string MachineAt(const std::string& host, const std::string& address);

// Returns DeadlineExceeded for the operation `what`, with a remedy.
Status TooLate(std::string_view what, const Endpoint& master);

}  // namespace dl::rpc
