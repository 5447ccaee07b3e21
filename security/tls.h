// How connections are encrypted: TLS 1.3, 1.2 at least, by OpenSSL. The settings of the two sides;
// the sockets are rpc's.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "security/role.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX and SSL
struct ssl_st;

namespace dl::security {

// What a master shows, and whom it asks for a certificate. PEM files.
struct MasterTls {
  std::string certificate;  // its own, with whatever stands between it and the CA behind it
  std::string key;
  std::string ca;  // of a site, whose certificates let clients in too (IdentityOf); empty: none do
};

// What a client believes. One of `fingerprint` and `ca` is given.
struct PeerTls {
  std::string host;              // that it means to reach: the certificate has to name it
  std::string fingerprint;       // of the CA that has to stand behind the master's certificate
  std::string ca;                // PEM file of CAs, one of which has to
  std::string certificate, key;  // its own, PEM files; empty: it has none
};

// `context` is new and the caller's. InvalidArgument for files that hold no certificate or key,
// that do not belong together, or that are not valid any more; Unavailable for a certificate that
// is not valid yet; Unauthenticated for a key that others can read (security/secret_file.h).
Status SetUpMaster(ssl_ctx_st* context, const MasterTls& tls);
Status SetUpPeer(ssl_ctx_st* context, const PeerTls& tls);

// SHA-256, in base64url, of the CA that stands behind a master's certificate: what tokens say of
// it.
StatusOr<std::string> FingerprintOf(const MasterTls& tls);

// Whom a peer's certificate stands for: its CN is the owner, an OU of "paravane-ROLE" the role. Of
// a connection whose peer has shown one that SetUpMaster's CA vouches for; nullopt otherwise.
std::optional<Identity> IdentityOf(const ssl_st* connection);

// How long these certificates are valid from now on: the peer's, and those between it and its CA.
// Zero where there are none.
Duration ValidityLeft(const ssl_st* connection);

// Why a peer that said this when it ended the handshake does not take one's own certificate, in a
// sentence with a remedy; OK where it said something else.
Status WhyNotTaken(std::string_view said, const std::string& certificate, const std::string& peer);

// Whether what OpenSSL said of a handshake means that the peer answered with something else than
// TLS.
bool IsNotTls(std::string_view said);

// Why the peer was not believed, in a sentence with a remedy; OK where it was, or was not asked.
Status WhyNotBelieved(const ssl_st* connection, const std::string& peer);

}  // namespace dl::security
