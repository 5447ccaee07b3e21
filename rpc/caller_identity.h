// Identity of a connection's caller: from its token or, if it presents none, from its certificate.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "rpc/wire_socket.h"
#include "security/role.h"
#include "security/token_book.h"

namespace dl::rpc {

// Returns the identity of the caller that presented `credential`; nullopt denies the caller.
// If `credential` is empty, the certificate of an encrypted `socket` decides. `tokens` may be null;
// then no credential is accepted.
std::optional<security::Identity> IdentityOf(const std::string& credential, WireSocket& socket,
                                             const security::TokenBook* tokens);

// Returns when the caller's token or certificate expires. For a token, the result is at most a year
// ahead, Instant::Max() if the token does not expire, or now if it was revoked meanwhile. REQUIRES:
// `caller` is the result of IdentityOf with the same socket and tokens.
Instant ValidUntil(const security::Identity& caller, WireSocket& socket,
                   const security::TokenBook* tokens);

}  // namespace dl::rpc
