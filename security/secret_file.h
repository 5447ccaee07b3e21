// Files with a secret in them.
#pragma once

#include <string>

#include "base/status.h"
#include "security/token.h"

namespace dl::security {

// The token in a file, on standard input ("-"), or behind a descriptor that is open already
// ("/dev/fd/3"). Unauthenticated for a file that others than its owner can read or write;
// InvalidArgument for one that holds no token, of which nothing is repeated.
StatusOr<Token> ReadTokenFile(const std::string& path);

// Unauthenticated for the file of a private key that others than its owner can read or write. A
// key of root's may be read by a group, as administrators let services have them.
Status CheckRightsOfKey(const std::string& path);

// A line with the token, for its owner alone.
Status WriteTokenFile(const std::string& path, const Token& token);

}  // namespace dl::security
