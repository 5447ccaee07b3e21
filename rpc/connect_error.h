// Why nothing could be connected to, for people.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "rpc/endpoint.h"

namespace dl::rpc {

// `said`: Thrift's text, which is all that it keeps of the system's error. Unavailable; names the
// machine, the address that its name stands for, and what to try.
Status WhyNotConnected(const Endpoint& to, std::string_view said);

// "node0 (10.0.0.7)"; the host alone where it is the address, or that is empty: not known.
std::string MachineAt(const std::string& host, const std::string& address);

// What a deadline ended, in a sentence of `what` and a remedy.
Status TooLate(std::string_view what, const Endpoint& master);

}  // namespace dl::rpc
