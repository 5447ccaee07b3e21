#include "rpc/tls_socket.h"

#include <utility>

#include "rpc/wire_socket.h"

namespace dl::rpc {

using apache::thrift::transport::SSLContext;

TlsSettings::TlsSettings() : context_(std::make_shared<SSLContext>()) {}

StatusOr<std::shared_ptr<TlsSettings>> TlsSettings::ForMaster(const security::MasterTls& tls) {
  std::shared_ptr<TlsSettings> settings(new TlsSettings);
  DL_RETURN_IF_ERROR(security::SetUpMaster(settings->context_->get(), tls));
  return settings;
}

StatusOr<std::shared_ptr<TlsSettings>> TlsSettings::ForPeer(const security::PeerTls& tls) {
  std::shared_ptr<TlsSettings> settings(new TlsSettings);
  DL_RETURN_IF_ERROR(security::SetUpPeer(settings->context_->get(), tls));
  return settings;
}

TlsSocket::TlsSocket(const TlsSettings& settings, const std::string& host, int port)
    : TSSLSocket(settings.context(), host, port, SocketLimits()) {}

TlsSocket::TlsSocket(const TlsSettings& settings, int fd, std::shared_ptr<int> interrupt)
    : TSSLSocket(settings.context(), fd, std::move(interrupt), SocketLimits()) {
  server(true);
}

}  // namespace dl::rpc
