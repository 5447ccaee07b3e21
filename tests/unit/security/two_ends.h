// A TLS connection without a network: a master and a peer in one thread, and what one writes the
// other reads.
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

inline constexpr char kHost[] = "master.example";  // of the masters

class TwoEnds {
 public:
  // The contexts may go before it.
  TwoEnds(SSL_CTX* master, SSL_CTX* peer);

  // Whether both ends are done with it, and believe each other as far as they ask.
  bool ShakeHands();
  // What came out at the other end.
  std::string FromPeer(const std::string& text) { return Carry(peer_.get(), master_.get(), text); }
  std::string FromMaster(const std::string& text) {
    return Carry(master_.get(), peer_.get(), text);
  }

  SSL* master() { return master_.get(); }
  SSL* peer() { return peer_.get(); }
  // Why that end gave up; empty when it did not.
  const std::string& error_of_master() const { return error_of_master_; }
  const std::string& error_of_peer() const { return error_of_peer_; }

 private:
  static std::string Carry(SSL* from, SSL* to, const std::string& text);

  ConnectionHandle master_, peer_;
  std::string error_of_master_, error_of_peer_;
};

}  // namespace dl::security
