// The share of the server's resources that a request uses.
#pragma once

#include <string>

#include "security/role.h"

namespace dl::web {

// Returns the name of the share. All requests with one token have one share. Without a token, all
// requests of an owner have one, and without an owner, all requests from the network of the address
// `peer` (rpc::NetworkOf).
std::string MemoryShareOf(const security::Identity& caller, const std::string& peer);

}  // namespace dl::web
