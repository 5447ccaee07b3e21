// Identity of a connection's caller: from its token or, if it presents none, from its certificate.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "rpc/wire_socket.h"
#include "security/role.h"
#include "security/token_store.h"

namespace dl::rpc {

// Returns the identity of the caller that presented `credential`, a token as text. Returns nullopt
// if the caller must be denied. If `credential` is empty, the client certificate of an encrypted
// `socket` decides. If `tokens` is null, no token is accepted.
std::optional<security::Identity> IdentityOf(const std::string& credential, WireSocket& socket,
                                             const security::TokenStore* tokens);

// Returns when the caller's token or certificate expires. For a token: Instant::Max() if it does
// not expire, now if it was revoked meanwhile, and otherwise at most a year ahead, even if it
// expires later. REQUIRES: `caller` is the result of IdentityOf with the same socket and tokens.
Instant ValidUntil(const security::Identity& caller, WireSocket& socket,
                   const security::TokenStore* tokens);

}  // namespace dl::rpc
