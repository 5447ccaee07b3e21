// Options, identity and TLS settings with which a client opens connections.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/status.h"
#include "rpc/client.h"
#include "rpc/tls_socket.h"

namespace dl::rpc {

// Identifies the client to the master, and the master to the client.
struct Introduction {
  Credentials credentials;
  std::shared_ptr<TlsSettings> tls;  // shared with Thrift's sockets; null: not encrypted
};

// Thread-safe.
class Dialling {
 public:
  // Returns InvalidArgument for invalid options, and errors of the credentials' files if they are
  // already known.
  static StatusOr<std::unique_ptr<Dialling>> With(ClientOptions options);

  const ClientOptions& options() const { return options_; }
  // A secret of this process, which binds sessions to it.
  const std::string& instance() const { return instance_; }
  // Returns the introduction for a new connection. Returns Unauthenticated if nothing may be sent
  // to that master.
  StatusOr<Introduction> Introduce() const DL_EXCLUDES(mutex_);

 private:
  Dialling(ClientOptions options, std::string instance)
      : options_(std::move(options)), instance_(std::move(instance)) {}

  const ClientOptions options_;
  const std::string instance_;
  mutable Mutex mutex_;
  // The last introduction, cached because TLS settings are read from files.
  mutable std::optional<Introduction> last_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::rpc
