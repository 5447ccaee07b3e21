// TLS settings of both sides of a connection: TLS 1.3, or at least 1.2, by OpenSSL. The sockets
// belong to rpc/.
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

// The certificate that a master presents, and the CA of client certificates. PEM files.
struct MasterTls {
  std::string certificate;  // its own, followed by any certificates between it and the CA
  std::string key;
  std::string ca;  // CA whose certificates authenticate clients (IdentityOf); empty: none do
};

// The certificates that a client trusts, and its own. Exactly one of `fingerprint` and `ca` must be
// set.
struct PeerTls {
  std::string host;              // name of the master, which its certificate must contain
  std::string fingerprint;       // of the CA that must have issued the master's certificate
  std::string ca;                // PEM file of CAs, one of which must have issued it
  std::string certificate, key;  // the client's own, PEM files; empty: it has none
};

// Configure a new context, which the caller owns. Return InvalidArgument for files that hold no
// certificate or key, that do not belong together, or that have expired; Unavailable for a
// certificate that is not valid yet; Unauthenticated for a key that other users can read
// (security/secret_file.h).
Status SetUpMaster(ssl_ctx_st* context, const MasterTls& tls);
Status SetUpPeer(ssl_ctx_st* context, const PeerTls& tls);

// Returns the fingerprint of the CA that issued the master's certificate: its SHA-256 in base64url.
// Tokens contain it.
StatusOr<std::string> FingerprintOf(const MasterTls& tls);

// Returns the identity in the peer's certificate: its CN is the owner, and an OU "paravane-ROLE" is
// the role. Returns nullopt if the peer showed no certificate that SetUpMaster's CA has issued, or
// if the certificate names no valid owner or role.
std::optional<Identity> IdentityOf(const ssl_st* connection);

// Returns how long the certificates remain valid: the peer's and all up to its CA. Zero if there
// are none.
Duration ValidityLeft(const ssl_st* connection);

// Returns an error with a remedy if `said`, OpenSSL's text about the end of a handshake, means that
// the peer refused this side's certificate. Returns OK otherwise.
Status CertificateRejectedError(std::string_view said, const std::string& certificate,
                                const std::string& peer);

// Returns true if OpenSSL's text about a failed handshake means that the peer did not answer with
// TLS.
bool IsNotTls(std::string_view said);

// Returns an error with a remedy if the peer's certificate was refused. Returns OK if it was
// accepted or not checked.
Status PeerVerificationError(const ssl_st* connection, const std::string& peer);

}  // namespace dl::security
