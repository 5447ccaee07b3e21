// Who may register as an executor of a name.
#pragma once

#include <string>

#include "base/status.h"
#include "security/role.h"
#include "security/token_book.h"

namespace dl::rpc {

// A name that a valid token is for is its holders' alone, and they have no other. Unauthenticated:
// the caller may not have this one. `tokens` may be null: no name is reserved then.
Status MayRegisterAs(const std::string& executor, const security::Identity& caller,
                     const security::TokenBook* tokens);

}  // namespace dl::rpc
