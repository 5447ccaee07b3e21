// Tokens for the servers that tests start in their own process. All tests of a process share one
// token store.
#pragma once

#include <string>

#include "rpc/client.h"
#include "security/token_store.h"

namespace dl::test {

// Returns the token store. It exists in memory only.
security::TokenStore& TestTokens();

// Returns a token of that role from the store. Every call with the same role returns the same
// token. Its owner is "tester".
const security::Token& TokenOf(security::Role role);
// Returns credentials for a client with TokenOf(role).
rpc::Credentials Admitted(security::Role role = security::Role::kAdmin);

}  // namespace dl::test
