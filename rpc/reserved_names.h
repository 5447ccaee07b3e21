// Decides which caller may register an executor under a name.
#pragma once

#include <string>

#include "base/status.h"
#include "security/role.h"
#include "security/token_book.h"

namespace dl::rpc {

// Returns Unauthenticated if the caller may not use the name. A token may be made for one executor
// name: only callers with such a token may use that name, and they may use no other name. Must be
// checked at every call of a session, because an admin may reserve a name that is in use. `tokens`
// may be null: no names are reserved.
Status MayRegisterAs(const std::string& executor, const security::Identity& caller,
                     const security::TokenBook* tokens);

}  // namespace dl::rpc
