// Thrift's encrypted sockets with the settings of security/tls.h.
#pragma once

#include <thrift/transport/TSSLSocket.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "security/tls.h"

namespace dl::rpc {

// Settings shared by all encrypted sockets of a server, or by those of a client that has the same
// credentials. Thread-safe.
class TlsSettings {
 public:
  // Return the settings of a master, and of a client or executor. Return the errors of
  // security::SetUpMaster and security::SetUpPeer.
  static StatusOr<std::shared_ptr<TlsSettings>> ForMaster(const security::MasterTls& tls);
  static StatusOr<std::shared_ptr<TlsSettings>> ForPeer(const security::PeerTls& tls);

  std::shared_ptr<apache::thrift::transport::SSLContext> context() const { return context_; }

 private:
  TlsSettings();
  // Shared with Thrift's sockets, which may outlive the client or server.
  const std::shared_ptr<apache::thrift::transport::SSLContext> context_;
};

// A socket of Thrift with these settings. The handshake begins when the first byte is sent or read.
// OpenSSL verifies the peer's certificate in the handshake.
class TlsSocket : public apache::thrift::transport::TSSLSocket {
 public:
  // A client's socket, not yet open.
  TlsSocket(const TlsSettings& settings, const std::string& host, int port);
  // An accepted socket. `interrupt` is Thrift's pipe that ends blocking reads when the server
  // stops.
  TlsSocket(const TlsSettings& settings, int fd, std::shared_ptr<int> interrupt);

  // Returns OpenSSL's connection. Null before the handshake begins, and after close().
  const ssl_st* connection() const { return ssl_; }

 protected:
  // Thrift's own check of the certificate is not needed after OpenSSL's.
  void authorize() override {}
};

}  // namespace dl::rpc
