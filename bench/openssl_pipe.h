// OpenSSL over one loopback socket and nothing else: the baseline for any use of TLS.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "security/tls.h"

namespace dl::bench {

class OpenSslPipe {
 public:
  // Creates two ends that have completed the handshake. Ends the program on an error.
  OpenSslPipe(const security::MasterTls& master, const security::PeerTls& peer);
  ~OpenSslPipe();

  // Writes `bytes` `times` times at the master's end and reads them at the peer's end.
  void Move(const std::string& bytes, int64_t times);

 private:
  struct Ends;
  std::unique_ptr<Ends> ends_;
};

}  // namespace dl::bench
