#include "rpc/credential_source.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "base/unique.h"

namespace dl::rpc {
namespace {

// Returns null for an unencrypted connection. Only loopback connections may be unencrypted, because
// others on the network could read the token.
StatusOr<std::shared_ptr<TlsSettings>> TlsFor(const Endpoint& master, const Credentials& known) {
  if (!known.fingerprint.empty() || !known.ca.empty()) {
    return TlsSettings::ForPeer({.host = master.host,
                                 .fingerprint = known.fingerprint,
                                 .ca = known.fingerprint.empty() ? known.ca : "",
                                 .certificate = known.certificate,
                                 .key = known.key});
  }
  if (IsLoopback(master.host)) return std::shared_ptr<TlsSettings>();
  return Denied(
      {.message = "the master cannot be verified, so nothing is sent to it",
       .where = ToString(master),
       .remedy = "Give a token of its cluster (--token-file FILE, DL_TOKEN_FILE), or the CA of its "
                 "certificate (--tls-ca FILE)"});
}

}  // namespace

StatusOr<std::unique_ptr<CredentialSource>> CredentialSource::Create(ClientOptions options) {
  if (options.endpoint.host.empty() || options.endpoint.port < 1 || options.endpoint.port > 65535) {
    return InvalidArgument(
        {.message = "no address of a master is given", .where = ToString(options.endpoint)});
  }
  if (options.control_connections < 1 || options.poll_connections < 1 ||
      options.bulk_connections < 1) {
    return InvalidArgument({.message = "a client needs at least one connection of each kind"});
  }
  DL_ASSIGN_OR_RETURN(const SecretBytes secret, MakeSecretBytes());
  std::unique_ptr<CredentialSource> credential_source(new CredentialSource(
      std::move(options), absl::BytesToHexString(std::string(
                              reinterpret_cast<const char*>(secret.data()), secret.size()))));
  // With find_credentials, credentials may appear later, so they are not checked here.
  if (!credential_source->options_.find_credentials)
    DL_RETURN_IF_ERROR(credential_source->Find().status());
  return credential_source;
}

StatusOr<ConnectionCredentials> CredentialSource::Find() const {
  Credentials credentials = options_.credentials;
  if (options_.find_credentials) {
    DL_ASSIGN_OR_RETURN(credentials, options_.find_credentials());
  }
  MutexLock lock(mutex_);
  if (last_ && last_->credentials == credentials) return *last_;
  ConnectionCredentials connection_credentials{.credentials = credentials};
  DL_ASSIGN_OR_RETURN(connection_credentials.tls, TlsFor(options_.endpoint, credentials));
  last_ = connection_credentials;
  return connection_credentials;
}

std::string CredentialSource::owner() const {
  MutexLock lock(mutex_);
  return owner_;
}

void CredentialSource::SetOwner(std::string owner) const {
  MutexLock lock(mutex_);
  owner_ = std::move(owner);
}

}  // namespace dl::rpc
