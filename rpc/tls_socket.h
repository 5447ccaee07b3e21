// Encrypted sockets: Thrift's, with the settings of security/tls.h.
#pragma once

#include <thrift/transport/TSSLSocket.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "security/tls.h"

namespace dl::rpc {

// What all encrypted sockets of one server, or of one client, have in common. Thread-safe.
class TlsSettings {
 public:
  // Errors as security::SetUpMaster and SetUpPeer.
  static StatusOr<std::shared_ptr<TlsSettings>> OfMaster(const security::MasterTls& tls);
  static StatusOr<std::shared_ptr<TlsSettings>> OfPeer(const security::PeerTls& tls);

  std::shared_ptr<apache::thrift::transport::SSLContext> context() const { return context_; }

 private:
  TlsSettings();
  // Shared with Thrift's sockets, which may outlive the client or server.
  const std::shared_ptr<apache::thrift::transport::SSLContext> context_;
};

// The handshake comes with the first byte that is sent or wanted; OpenSSL verifies in it.
class TlsSocket : public apache::thrift::transport::TSSLSocket {
 public:
  // To be opened.
  TlsSocket(const TlsSettings& settings, const std::string& host, int port);
  // Accepted; `interrupt` is Thrift's pipe that ends blocking reads when the server stops.
  TlsSocket(const TlsSettings& settings, int fd, std::shared_ptr<int> interrupt);

  // Null before the handshake.
  const ssl_st* connection() const { return ssl_; }

 protected:
  void authorize() override {}
};

}  // namespace dl::rpc
