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
  std::string id;      // 16 hex digits
  std::string secret;  // 43 characters of base64url
  std::string ca;      // 43 characters of base64url, or empty

  // The part that a connection presents: "ID.SECRET".
  std::string credential() const { return id + "." + secret; }
};

// Returns a new token. `ca` is the fingerprint, or empty. Returns an error if the system provides
// no random bits.
StatusOr<Token> MakeToken(const std::string& ca);

// Parses a token; surrounding white space is ignored. Returns InvalidArgument, which never quotes
// the text.
StatusOr<Token> ParseToken(std::string_view text);
// Returns the text that ParseToken accepts. It contains the secret.
std::string ToString(const Token& token);

// The parts of "ID.SECRET". Both are empty if the text has another form.
struct Credential {
  std::string id, secret;
};
Credential ParseCredential(std::string_view text);

bool IsTokenId(std::string_view text);

// Compares two secrets in a time that does not depend on where they differ. The length is not
// secret.
bool IsSameSecret(std::string_view a, std::string_view b);

// Returns the hash that is stored instead of a secret: 64 hex digits. The secret has 256 random
// bits, so no salt is needed.
std::string HashOfSecret(std::string_view secret);

}  // namespace dl::security
