// Tokens for servers that a test starts itself: one book for all of a test program, with a token of
// each role.
#pragma once

#include <string>

#include "rpc/client.h"
#include "security/token_book.h"

namespace dl::test {

// In memory.
security::TokenBook& TestTokens();

// A token of that role that the book knows; always the same one. Its owner is "tester".
const security::Token& TokenOf(security::Role role);
rpc::Credentials Admitted(security::Role role = security::Role::kAdmin);

}  // namespace dl::test
