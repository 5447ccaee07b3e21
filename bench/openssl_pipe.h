// OpenSSL and one socket of loopback, with nothing around them: what any use of TLS is measured by.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "security/tls.h"

namespace dl::bench {

class OpenSslPipe {
 public:
  // Two ends that have shaken hands. Ends the program where they cannot.
  OpenSslPipe(const security::MasterTls& master, const security::PeerTls& peer);
  ~OpenSslPipe();

  // Writes `bytes` so many times at the master's end, and reads them at the peer's.
  void Move(const std::string& bytes, int64_t times);

 private:
  struct Ends;
  std::unique_ptr<Ends> ends_;
};

}  // namespace dl::bench
