#include "tests/unit/security/two_ends.h"

#include "base/status.h"

namespace dl::security {
namespace {

// Returns whether the handshake of this end is complete. Sets `error` if it failed.
bool Step(SSL* end, std::string& error) {
  ERR_clear_error();
  const int result = SSL_do_handshake(end);
  if (result == 1) return true;
  const int reason = SSL_get_error(end, result);
  if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE) error = OpenSslError();
  return false;
}

}  // namespace

TwoEnds::TwoEnds(SSL_CTX* master, SSL_CTX* peer) : master_(SSL_new(master)), peer_(SSL_new(peer)) {
  BIO* of_master = nullptr;
  BIO* of_peer = nullptr;
  DL_CHECK(master_ != nullptr && peer_ != nullptr);
  DL_CHECK(BIO_new_bio_pair(&of_master, 0, &of_peer, 0) == 1);
  SSL_set_bio(master_.get(), of_master, of_master);  // takes ownership
  SSL_set_bio(peer_.get(), of_peer, of_peer);
  SSL_set_accept_state(master_.get());
  SSL_set_connect_state(peer_.get());
}

bool TwoEnds::ShakeHands() {
  constexpr int kMaxSteps = 20;  // a handshake takes four steps
  bool peer_done = false, master_done = false;
  // In TLS 1.3 the peer completes the handshake before the master has seen the peer's certificate.
  for (int i = 0; i < kMaxSteps && !(peer_done && master_done); ++i) {
    peer_done = Step(peer_.get(), error_of_peer_);
    master_done = Step(master_.get(), error_of_master_);
    if (!error_of_peer_.empty() || !error_of_master_.empty()) return false;
  }
  return peer_done && master_done;
}

std::string TwoEnds::Carry(SSL* from, SSL* to, const std::string& text) {
  std::string read(text.size() + 1, '\0');
  if (SSL_write(from, text.data(), static_cast<int>(text.size())) <= 0) return "";
  const int count = SSL_read(to, read.data(), static_cast<int>(read.size()));
  read.resize(count > 0 ? count : 0);
  return read;
}

}  // namespace dl::security
