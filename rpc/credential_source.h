// Options, identity and TLS settings with which a client opens connections. Opens none itself
// (rpc/connection.h).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/status.h"
#include "rpc/client.h"
#include "rpc/tls_socket.h"

namespace dl::rpc {

// The credentials and TLS settings of one connection.
struct ConnectionCredentials {
  Credentials credentials;
  std::shared_ptr<TlsSettings> tls;  // shared with Thrift's sockets; null: not encrypted
};

// Thread-safe.
class CredentialSource {
 public:
  // Returns InvalidArgument for invalid options. Without find_credentials, also returns the errors
  // of Find.
  static StatusOr<std::unique_ptr<CredentialSource>> Create(ClientOptions options);

  const ClientOptions& options() const { return options_; }
  // A random secret of this object, in hex. The master binds sessions to it.
  const std::string& instance() const { return instance_; }
  // Returns the introduction for a new connection. Returns the errors of find_credentials and of
  // security::SetUpPeer. Returns Unauthenticated if the endpoint is not a loopback address and the
  // credentials do not identify the master.
  StatusOr<ConnectionCredentials> Find() const DL_EXCLUDES(mutex_);
  // The owner of the credentials, as the master named it last; empty before the first connection.
  std::string owner() const DL_EXCLUDES(mutex_);
  void SetOwner(std::string owner) const DL_EXCLUDES(mutex_);

 private:
  CredentialSource(ClientOptions options, std::string instance)
      : options_(std::move(options)), instance_(std::move(instance)) {}

  const ClientOptions options_;
  const std::string instance_;
  mutable Mutex mutex_;
  // The last introduction, cached because TLS settings are read from files.
  mutable std::optional<ConnectionCredentials> last_ DL_GUARDED_BY(mutex_);
  mutable std::string owner_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::rpc
