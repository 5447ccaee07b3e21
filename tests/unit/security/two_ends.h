// A TLS connection without a network: a master and a peer in one thread. Each end reads what the
// other end writes.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "security/openssl_handles.h"
#include "security/tls.h"

namespace dl::security {

using ContextHandle = std::unique_ptr<SSL_CTX, FreeWith<SSL_CTX_free>>;
using ConnectionHandle = std::unique_ptr<SSL, FreeWith<SSL_free>>;

inline ContextHandle NewMasterContext() { return ContextHandle(SSL_CTX_new(TLS_server_method())); }
inline ContextHandle NewPeerContext() { return ContextHandle(SSL_CTX_new(TLS_client_method())); }

inline constexpr char kHost[] = "master.example";  // name of the masters

class TwoEnds {
 public:
  // The contexts may be destroyed before this object.
  TwoEnds(SSL_CTX* master, SSL_CTX* peer);

  // Returns whether both ends completed the handshake. Each end checks the other as far as its
  // context demands.
  bool ShakeHands();
  // Sends the text and returns what arrived at the other end.
  std::string FromPeer(const std::string& text) { return Carry(peer_.get(), master_.get(), text); }
  std::string FromMaster(const std::string& text) {
    return Carry(master_.get(), peer_.get(), text);
  }

  SSL* master() { return master_.get(); }
  SSL* peer() { return peer_.get(); }
  // Returns why that end failed. Empty if it did not fail.
  const std::string& error_of_master() const { return error_of_master_; }
  const std::string& error_of_peer() const { return error_of_peer_; }

 private:
  static std::string Carry(SSL* from, SSL* to, const std::string& text);

  ConnectionHandle master_, peer_;
  std::string error_of_master_, error_of_peer_;
};

}  // namespace dl::security
