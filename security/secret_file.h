// Files that contain a secret.
#pragma once

#include <string>

#include "base/status.h"
#include "security/token.h"

namespace dl::security {

// Reads the token from a file, from standard input ("-"), or from an open descriptor ("/dev/fd/3").
// Returns Unauthenticated if users other than the owner can read or write the file. Returns
// InvalidArgument, without quoting the content, if it holds no token.
StatusOr<Token> ReadTokenFile(const std::string& path);

// Returns Unauthenticated if users other than the owner can read or write the file of a private
// key. A key owned by root may be readable by a group, which is how administrators give it to a
// service.
Status CheckRightsOfKey(const std::string& path);

// Writes a line with the token to a file that only its owner can read.
Status WriteTokenFile(const std::string& path, const Token& token);

}  // namespace dl::security
