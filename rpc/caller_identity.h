// The identity of a connection's caller: by the token that it shows, else by its certificate.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "rpc/wire_socket.h"
#include "security/role.h"
#include "security/token_book.h"

namespace dl::rpc {

// nullopt: the caller is not let in. `tokens` may be null: then only certificates count.
std::optional<security::Identity> IdentityOf(const std::string& credential, WireSocket& socket,
                                             const security::TokenBook* tokens);

// When what IdentityOf went by ends. REQUIRES: `caller` is its result for that connection.
Instant ValidUntil(const security::Identity& caller, WireSocket& socket,
                   const security::TokenBook* tokens);

}  // namespace dl::rpc
