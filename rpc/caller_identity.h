// Identity of a connection's caller: from the token that it presents, else from its certificate.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "rpc/wire_socket.h"
#include "security/role.h"
#include "security/token_book.h"

namespace dl::rpc {

// Returns nullopt if the caller is not admitted. `tokens` may be null; then only certificates are
// accepted.
std::optional<security::Identity> IdentityOf(const std::string& credential, WireSocket& socket,
                                             const security::TokenBook* tokens);

// Returns when the caller's token or certificate expires. REQUIRES: `caller` is the result of
// IdentityOf for this connection.
Instant ValidUntil(const security::Identity& caller, WireSocket& socket,
                   const security::TokenBook* tokens);

}  // namespace dl::rpc
