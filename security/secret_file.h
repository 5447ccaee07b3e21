// Files that contain a secret.
#pragma once

#include <string>

#include "base/status.h"
#include "security/token.h"

namespace dl::security {

// Reads the token from a file, from standard input ("-"), or from an open descriptor ("/dev/fd/3").
// An open descriptor of a pipe is replaced, if possible, by a memory file with the same content, so
// that it can be read again. Returns Unauthenticated if users other than the owner can read or
// write the file. Returns InvalidArgument, without quoting the content, if it holds no token.
// Returns errors of the file system.
StatusOr<Token> ReadTokenFile(const std::string& path);

// Returns Unauthenticated if users other than the owner can read or write the file of a private
// key. A key owned by root may be readable by a group, which is how administrators give it to a
// service. Returns OK if `path` is missing or is not a regular file.
Status CheckKeyPermissions(const std::string& path);

// Writes a line with the token to a file that only its owner can read. Replaces an existing file.
// Returns errors of the file system.
Status WriteTokenFile(const std::string& path, const Token& token);

}  // namespace dl::security
