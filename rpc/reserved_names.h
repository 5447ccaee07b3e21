// Who may register as an executor of a name.
#pragma once

#include <string>

#include "base/status.h"
#include "security/role.h"
#include "security/token_book.h"

namespace dl::rpc {

// A name that a token was made for is for callers with such a token alone, and they have no other
// name. Asked at each call of a session, because an admin may reserve a name that is in use.
// Unauthenticated: the caller may not have this name. `tokens` may be null: no name is reserved.
Status MayRegisterAs(const std::string& executor, const security::Identity& caller,
                     const security::TokenBook* tokens);

}  // namespace dl::rpc
