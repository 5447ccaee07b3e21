// Why nothing could be connected to, for people.
#pragma once

#include <string_view>

#include "base/status.h"
#include "rpc/endpoint.h"

namespace dl::rpc {

// `said`: Thrift's text, which is all that it keeps of the system's error. Unavailable; names the
// machine, the address that its name stands for, and what to try.
Status WhyNotConnected(const Endpoint& to, std::string_view said);

}  // namespace dl::rpc
