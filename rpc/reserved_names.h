// Decides which callers may use the name of an executor.
#pragma once

#include <string>

#include "base/status.h"
#include "security/role.h"
#include "security/token_store.h"

namespace dl::rpc {

// Returns Unauthenticated if the caller may not use the name `executor`. An admin can bind a token
// to one executor name, which reserves the name:
//   - A caller with a bound token may use only the name of its token.
//   - Other callers may not use a reserved name.
// Expired tokens reserve their name until they are revoked.
// Must be checked at every call of a session, because an admin may reserve a name that is in use.
// If `tokens` is null, no names are reserved, but the first rule still holds. Thread-safe.
Status MayRegisterAs(const std::string& executor, const security::Identity& caller,
                     const security::TokenStore* tokens);

}  // namespace dl::rpc
