// A token: the string that gives its holder access to a cluster. "dl1.ID.SECRET.CA" consists of a
// public id, 256 random bits, and the fingerprint of the cluster's CA, by which the holder
// recognizes the master. A master without keys, which listens on loopback only, issues tokens
// without the fingerprint.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::security {

struct Token {
  std::string id;      // 16 lower-case hex digits
  std::string secret;  // 43 characters of base64url
  std::string ca;      // 43 characters of base64url, or empty

  // The part that a connection presents: "ID.SECRET".
  std::string credential() const { return id + "." + secret; }
};

// Returns a new token. `ca` is the fingerprint, or empty. Returns an error if the system provides
// no random bits.
StatusOr<Token> MakeToken(const std::string& ca);

// Parses a token; surrounding white space is ignored. Returns InvalidArgument if the text is not a
// token. The error does not quote the text, which may contain a secret.
StatusOr<Token> ParseToken(std::string_view text);
// Returns the text that ParseToken accepts. It contains the secret.
std::string ToString(const Token& token);

// The parts of a token that a connection presents.
struct Credential {
  std::string id, secret;
};
// Parses "ID.SECRET". Returns empty parts if the text has another form.
Credential ParseCredential(std::string_view text);

// Returns true if the text has the form of a token's id: 16 lower-case hex digits.
bool IsTokenId(std::string_view text);

// Returns true if two secrets are equal. The time does not depend on where they differ, only on
// their lengths, which are not secret.
bool IsSameSecret(std::string_view a, std::string_view b);

// Returns the hash that is stored instead of a secret: its SHA-256, 64 hex digits. The secret has
// 256 random bits, so no salt is needed.
std::string HashOfSecret(std::string_view secret);

}  // namespace dl::security
