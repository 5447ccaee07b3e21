// Tokens for servers that a test starts itself. All tests of a program share one token book.
#pragma once

#include <string>

#include "rpc/client.h"
#include "security/token_book.h"

namespace dl::test {

// Returns the token book. It exists in memory only.
security::TokenBook& TestTokens();

// Returns a token of that role from the book. Every call with the same role returns the same token.
// Its owner is "tester".
const security::Token& TokenOf(security::Role role);
rpc::Credentials Admitted(security::Role role = security::Role::kAdmin);

}  // namespace dl::test
