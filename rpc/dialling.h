// What all connections of one client are opened with.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/status.h"
#include "rpc/client.h"
#include "rpc/tls_socket.h"

namespace dl::rpc {

// By what a connection is known to the master, and the master to it.
struct Introduction {
  Credentials credentials;
  std::shared_ptr<TlsSettings> tls;  // shared with Thrift's sockets; null: not encrypted
};

// Thread-safe.
class Dialling {
 public:
  // InvalidArgument for options that cannot be; errors of the credentials' files, where these are
  // known already.
  static StatusOr<std::unique_ptr<Dialling>> With(ClientOptions options);

  const ClientOptions& options() const { return options_; }
  // A secret of this client, by which sessions stay its own.
  const std::string& instance() const { return instance_; }
  // For a connection that is opened now. Unauthenticated where nothing would be sent to that
  // master.
  StatusOr<Introduction> Introduce() const DL_EXCLUDES(mutex_);

 private:
  Dialling(ClientOptions options, std::string instance)
      : options_(std::move(options)), instance_(std::move(instance)) {}

  const ClientOptions options_;
  const std::string instance_;
  mutable Mutex mutex_;
  // Of the last one: settings take reading files to make.
  mutable std::optional<Introduction> last_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::rpc
