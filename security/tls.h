// OpenSSL's TLS settings for both sides of a connection. Connections use TLS 1.2 or later. The
// sockets are in rpc/ and web/.
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
  // Its own certificate, followed by any certificates between it and the CA. If `ca` is empty, the
  // last certificate is the CA's.
  std::string certificate;
  std::string key;
  // CA that issued `certificate` and those of clients (IdentityOf). Empty: client certificates are
  // not used.
  std::string ca;
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
// certificate or key, or that do not belong together; Unauthenticated for a key that other users
// can read (security/secret_file.h); errors of the file system; Internal if OpenSSL fails.
//
// SetUpMaster also verifies the master's certificate. It returns InvalidArgument if the certificate
// has expired or the CA did not issue it, and Unavailable if it is not valid yet. SetUpPeer returns
// InvalidArgument for an invalid `host`.
Status SetUpMaster(ssl_ctx_st* context, const MasterTls& tls);
Status SetUpPeer(ssl_ctx_st* context, const PeerTls& tls);

// Returns the fingerprint of the CA that issued the master's certificate: the SHA-256 of the CA's
// certificate in base64url. Tokens contain it. Returns the errors of SetUpMaster.
StatusOr<std::string> FingerprintOf(const MasterTls& tls);

// Returns the identity in the peer's certificate: its CN is the owner, and an OU "paravane-ROLE" is
// the role. Returns nullopt if the peer showed no certificate that SetUpMaster's CA has issued, or
// if the certificate names no valid owner or role.
std::optional<Identity> IdentityOf(const ssl_st* connection);

// Returns how long the certificates remain valid: the peer's and all up to its CA. Zero if the peer
// showed none, or one has expired.
Duration ValidityLeft(const ssl_st* connection);

// Explanations of a failed handshake. `openssl_text` is OpenSSL's text about its end; `certificate`
// is the file of this side's certificate, or empty; `peer` names the other side.

// Returns Unauthenticated with a remedy if the peer refused this side's certificate. Returns OK
// otherwise.
Status CertificateRejectedError(std::string_view openssl_text, const std::string& certificate,
                                const std::string& peer);

// Returns true if the peer did not answer with TLS.
bool IsNotTls(std::string_view openssl_text);

// Returns an error with a remedy if this side refused the peer's certificate: Unavailable if it is
// not valid yet, else Unauthenticated. Returns OK if it was accepted or not checked, or if
// `connection` is null.
Status PeerVerificationError(const ssl_st* connection, const std::string& peer);

}  // namespace dl::security
