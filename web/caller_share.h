// The share of the server's resources that a request uses.
#pragma once

#include <string>

#include "security/role.h"

namespace dl::web {

// Returns the name of the share: that of the token, otherwise of the owner, otherwise of the
// network of the address `peer`.
std::string ShareOf(const security::Identity& caller, const std::string& peer);

}  // namespace dl::web
