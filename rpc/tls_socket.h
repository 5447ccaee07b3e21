// Thrift's encrypted sockets with the settings of security/tls.h.
#pragma once

#include <thrift/transport/TSSLSocket.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "security/tls.h"

namespace dl::rpc {

// Settings shared by all encrypted sockets of a server or a client. Thread-safe.
class TlsSettings {
 public:
  // Return the errors of security::SetUpMaster and SetUpPeer.
  static StatusOr<std::shared_ptr<TlsSettings>> ForMaster(const security::MasterTls& tls);
  static StatusOr<std::shared_ptr<TlsSettings>> ForPeer(const security::PeerTls& tls);

  std::shared_ptr<apache::thrift::transport::SSLContext> context() const { return context_; }

 private:
  TlsSettings();
  // Shared with Thrift's sockets, which may outlive the client or server.
  const std::shared_ptr<apache::thrift::transport::SSLContext> context_;
};

// The handshake, in which OpenSSL verifies the peer, happens with the first byte that is sent or
// read.
class TlsSocket : public apache::thrift::transport::TSSLSocket {
 public:
  // A client's socket, not yet open.
  TlsSocket(const TlsSettings& settings, const std::string& host, int port);
  // An accepted socket. `interrupt` is Thrift's pipe that ends blocking reads when the server
  // stops.
  TlsSocket(const TlsSettings& settings, int fd, std::shared_ptr<int> interrupt);

  // Returns null before the handshake.
  const ssl_st* connection() const { return ssl_; }

 protected:
  void authorize() override {}
};

}  // namespace dl::rpc
