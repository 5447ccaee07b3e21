// A token: the one string that lets somebody into a cluster. "dl1.ID.SECRET.CA": a name that is no
// secret, 256 random bits, and the fingerprint of the cluster's CA, by which its holder knows the
// master. A master without keys, which answers on loopback alone, gives tokens without the last.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::security {

struct Token {
  std::string id;      // 16 hex digits
  std::string secret;  // 43 characters of base64url
  std::string ca;      // likewise, or empty

  // What a connection shows of it: "ID.SECRET".
  std::string credential() const { return id + "." + secret; }
};

// A new one. Fails when the system has no random bits to give.
StatusOr<Token> MakeToken(const std::string& ca);

// White space around it is left out. InvalidArgument, which never repeats the text.
StatusOr<Token> ParseToken(std::string_view text);
std::string ToString(const Token& token);

// "ID.SECRET" taken apart; empty texts for what is none.
struct Credential {
  std::string id, secret;
};
Credential ParseCredential(std::string_view text);

bool IsTokenId(std::string_view text);

// Whether two secrets are the same, in a time that does not tell where they differ; how long they
// are is none.
bool IsSameSecret(std::string_view a, std::string_view b);

// What is kept of a secret: 64 hex digits. It has 256 random bits, so it needs no salt.
std::string HashOfSecret(std::string_view secret);

}  // namespace dl::security
