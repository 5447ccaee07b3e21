#include "bench/openssl_pipe.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include "base/file_descriptor.h"
#include "base/thread.h"

namespace dl::bench {

struct OpenSslPipe::Ends {
  template <typename T, auto Free>
  struct Freed {
    void operator()(T* held) const { Free(held); }
  };
  using Context = std::unique_ptr<SSL_CTX, Freed<SSL_CTX, SSL_CTX_free>>;
  using Connection = std::unique_ptr<SSL, Freed<SSL, SSL_free>>;

  // Connects the two sockets.
  Ends() {
    const FileDescriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(at);
    auto* address = reinterpret_cast<sockaddr*>(&at);
    DL_CHECK(bind(listener.get(), address, size) == 0 && listen(listener.get(), 1) == 0);
    DL_CHECK(getsockname(listener.get(), address, &size) == 0);
    peer_socket = FileDescriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    DL_CHECK(connect(peer_socket.get(), address, size) == 0);
    master_socket = FileDescriptor(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    DL_CHECK(master_socket.valid());
  }

  FileDescriptor master_socket, peer_socket;
  Context master_context{SSL_CTX_new(TLS_server_method())};
  Context peer_context{SSL_CTX_new(TLS_client_method())};
  Connection master, peer;
};

OpenSslPipe::OpenSslPipe(const security::MasterTls& master, const security::PeerTls& peer)
    : ends_(std::make_unique<Ends>()) {
  DL_CHECK(security::SetUpMaster(ends_->master_context.get(), master).ok());
  DL_CHECK(security::SetUpPeer(ends_->peer_context.get(), peer).ok());
  ends_->master.reset(SSL_new(ends_->master_context.get()));
  ends_->peer.reset(SSL_new(ends_->peer_context.get()));
  SSL_set_fd(ends_->master.get(), ends_->master_socket.get());
  SSL_set_fd(ends_->peer.get(), ends_->peer_socket.get());
  Thread accepts("accepts", [&] { DL_CHECK(SSL_accept(ends_->master.get()) == 1); });
  DL_CHECK(SSL_connect(ends_->peer.get()) == 1);
}

OpenSslPipe::~OpenSslPipe() = default;

void OpenSslPipe::Move(const std::string& bytes, int64_t times) {
  const int size = static_cast<int>(bytes.size());
  Thread writes("writes", [&] {
    for (int64_t i = 0; i < times; ++i)
      DL_CHECK(SSL_write(ends_->master.get(), bytes.data(), size) > 0);
  });
  std::string into(bytes.size(), '\0');
  for (int64_t left = times * size; left > 0;) {
    const int got = SSL_read(ends_->peer.get(), into.data(), size);
    DL_CHECK(got > 0);
    left -= got;
  }
}

}  // namespace dl::bench
