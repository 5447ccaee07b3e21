#include "rpc/caller_identity.h"

#include "rpc/tls_socket.h"
#include "security/tls.h"

namespace dl::rpc {

std::optional<security::Identity> IdentityOf(const std::string& credential, WireSocket& socket,
                                             const security::TokenStore* tokens) {
  if (!credential.empty())
    return tokens == nullptr ? std::nullopt : tokens->Authenticate(credential);
  const auto* const encrypted = dynamic_cast<const TlsSocket*>(&socket.socket());
  return encrypted == nullptr ? std::nullopt : security::IdentityOf(encrypted->connection());
}

Instant ValidUntil(const security::Identity& caller, WireSocket& socket,
                   const security::TokenStore* tokens) {
  if (!caller.token.empty()) return tokens->ValidUntil(caller.token);
  const auto& encrypted = dynamic_cast<const TlsSocket&>(socket.socket());
  return Clock::Real().Now() + security::ValidityLeft(encrypted.connection());
}

}  // namespace dl::rpc
