#include "web/http/http_server.h"

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/thread.h"
#include "rpc/server.h"
#include "web/http/http_connection.h"

namespace dl::web {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Number of requests that may wait for a thread.
constexpr size_t kMaxWaiting = 1024;
constexpr int kBacklog = 128;
// Number of computations that may wait for their turn.
constexpr size_t kMaxComputationsWaiting = 32;
// The services admit fewer bodies at once that are written piece by piece.
constexpr size_t kMaxPiecesWaiting = 64;

Status CannotListen(const HttpOptions& options, const error_code& error) {
  ErrorText text = {.message = absl::StrCat("cannot listen for HTTP: ", error.message()),
                    .where = absl::StrCat(options.address, " port ", options.port)};
  if (error == asio::error::address_in_use) {
    text.remedy = "Stop what uses the port, or choose another with --http PORT";
    return ResourceExhausted(text);
  }
  if (error == asio::error::access_denied)
    return MakeError(absl::StatusCode::kPermissionDenied, text);
  return Unavailable(text);
}

StatusOr<asio::ip::address> AddressOf(const std::string& text) {
  error_code error;
  const asio::ip::address address =
      asio::ip::make_address(text == "localhost" ? "127.0.0.1" : text, error);
  if (!error) return address;
  return InvalidArgument({.message = "HTTP needs an IP address to listen on", .where = text});
}

}  // namespace

class HttpServer::Impl {
 public:
  explicit Impl(HttpOptions options)
      : options_(std::move(options)),
        memory_({.bytes = options_.held_bytes, .bytes_of_client = options_.held_bytes_of_client}),
        acceptor_(context_),
        pause_(context_) {}
  ~Impl() { Stop(); }

  Status Listen() {
    if (options_.port < 0 || options_.port > 65535) {
      return InvalidArgument(
          {.message = absl::StrCat("port ", options_.port, " is not between 0 and 65535")});
    }
    DL_RETURN_IF_ERROR(rpc::CheckReach(options_.address, options_.tls.has_value()));
    if (options_.tls) {
      tls_.emplace(asio::ssl::context::tls_server);
      DL_RETURN_IF_ERROR(security::SetUpMaster(tls_->native_handle(), *options_.tls));
    }
    DL_ASSIGN_OR_RETURN(const asio::ip::address address, AddressOf(options_.address));
    const tcp::endpoint endpoint(address, static_cast<uint16_t>(options_.port));
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(kBacklog, error);
    if (error) return CannotListen(options_, error);
    port_ = acceptor_.local_endpoint().port();
    return absl::OkStatus();
  }

  void Serve(HttpService& service) {
    pool_.emplace("http-worker", options_.threads, kMaxWaiting);
    computing_.emplace("http-compute", 1, kMaxComputationsWaiting, WorkerPool::Priority::kLow);
    writing_.emplace("http-body", 1, kMaxPiecesWaiting);
    streams_.emplace(options_.max_streams);
    shared_.emplace(ConnectionContext{.options = options_,
                                      .service = service,
                                      .pool = *pool_,
                                      .computing = *computing_,
                                      .writing = *writing_,
                                      .memory = memory_,
                                      .streams = *streams_,
                                      .stopping = stopping_,
                                      .connections = connections_,
                                      .connections_of_address = {}});
    Accept();
    thread_ = Thread("http", [this] { context_.run(); });
  }

  int port() const { return port_; }
  int64_t connections() const { return connections_; }

  void Stop() {
    if (stopping_.exchange(true)) return;
    asio::post(context_, [this] {
      error_code ignored;
      acceptor_.close(ignored);
    });
    // Their last writes need the server's thread.
    if (streams_) streams_->Join();
    if (pool_) pool_->Stop();
    if (computing_) computing_->Stop();
    if (writing_) writing_->Stop();
    context_.stop();
    thread_.Join();
  }

 private:
  void Accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted || stopping_) return;
      if (!error) {
        ServeConnection(*shared_, std::move(socket), tls_ ? &*tls_ : nullptr);
        return Accept();
      }
      // The process has no more files or no memory. Connections that end free some.
      pause_.expires_after(std::chrono::milliseconds(100));
      pause_.async_wait([this](error_code) { Accept(); });
    });
  }

  const HttpOptions options_;
  std::atomic<bool> stopping_{false};
  std::atomic<int64_t> connections_{0};
  int port_ = 0;
  std::optional<asio::ssl::context> tls_;
  HeldMemory memory_;
  std::optional<WorkerPool> pool_, computing_, writing_;
  std::optional<StreamThreads> streams_;
  std::optional<ConnectionContext> shared_;
  // Destroyed before what the connections use, because it destroys the connections.
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  Thread thread_;
};

StatusOr<std::unique_ptr<HttpServer>> HttpServer::Listen(HttpOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  DL_RETURN_IF_ERROR(impl->Listen());
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() { Stop(); }
void HttpServer::Serve(HttpService& service) { impl_->Serve(service); }
int HttpServer::port() const { return impl_->port(); }
int64_t HttpServer::connections() const { return impl_->connections(); }
void HttpServer::Stop() { impl_->Stop(); }

}  // namespace dl::web
