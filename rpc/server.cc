#include "rpc/server.h"

#include <arpa/inet.h>
#include <thrift/server/TThreadedServer.h>
#include <thrift/transport/TServerSocket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/open_files.h"
#include "base/system_error.h"
#include "base/thread.h"
#include "rpc/connection_handler.h"
#include "rpc/thrift_process.h"
#include "rpc/wire_protocol.h"
#include "rpc/wire_socket.h"
#include "rpc/wire_transport.h"

namespace dl::rpc {
namespace {

using apache::thrift::server::TThreadedServer;
using apache::thrift::transport::TServerSocket;
using apache::thrift::transport::TTransport;
using apache::thrift::transport::TTransportException;

bool IsLoopback(const std::string& address) {
  in_addr v4;
  if (::inet_pton(AF_INET, address.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  return address == "::1" || address == "localhost";
}

Status CheckOptions(const ServerOptions& options) {
  if (!IsLoopback(options.address)) {
    return InvalidArgument(
        {.message =
             absl::StrCat("refusing to listen on ", options.address,
                          ": only loopback addresses are allowed until peers are authenticated"),
         .where = options.address,
         .remedy = "Use 127.0.0.1, and an SSH tunnel to reach it from another machine."});
  }
  if (options.port < 0 || options.port > 65535) {
    return InvalidArgument(
        {.message = absl::StrCat("port ", options.port, " is not between 0 and 65535")});
  }
  if (options.max_connections < 1) {
    return InvalidArgument({.message = "a server needs at least one connection"});
  }
  return absl::OkStatus();
}

class ListenSocket : public TServerSocket {
 public:
  ListenSocket(const ServerOptions& options, Watchdog* watchdog)
      : TServerSocket(options.address, options.port),
        hello_(options.hello_deadline),
        idle_(options.idle_deadline),
        watchdog_(watchdog) {}

  // Server::Listen listens, to know the port and the error; TThreadedServer::serve calls it again.
  void listen() override {
    if (!std::exchange(listening_, true)) TServerSocket::listen();
  }

 protected:
  std::shared_ptr<apache::thrift::transport::TSocket> createSocket(int fd) override {
    auto socket = std::make_shared<WireSocket>(fd, pChildInterruptSockReader_, watchdog_);
    socket->SetTcpOptions();
    socket->setRecvTimeout(static_cast<int>(idle_.count()));
    socket->Arm(Clock::Real().Now() + hello_);
    return socket;
  }

  std::shared_ptr<TTransport> acceptImpl() override {
    auto transport = TServerSocket::acceptImpl();
    // Thrift overwrites the timeouts of the socket that createSocket made.
    static_cast<WireSocket&>(*transport).setRecvTimeout(static_cast<int>(idle_.count()));
    return transport;
  }

 private:
  const std::chrono::milliseconds hello_;
  const std::chrono::milliseconds idle_;
  Watchdog* const watchdog_;
  bool listening_ = false;
};

class ServerTransportFactory : public apache::thrift::transport::TTransportFactory {
 public:
  std::shared_ptr<TTransport> getTransport(std::shared_ptr<TTransport> transport) override {
    return std::make_shared<WireTransport>(std::static_pointer_cast<WireSocket>(transport),
                                           WireTransport::Side::kServer);
  }
};

class ConnectionProcessorFactory : public apache::thrift::TProcessorFactory {
 public:
  explicit ConnectionProcessorFactory(ServerState* state) : state_(state) {}
  std::shared_ptr<apache::thrift::TProcessor> getProcessor(
      const apache::thrift::TConnectionInfo&) override {
    return MakeConnectionProcessor(state_);
  }

 private:
  ServerState* const state_;
};

}  // namespace

class Server::Impl {
 public:
  explicit Impl(const ServerOptions& options) {
    state_.version = options.version;
    state_.max_connections = std::min(options.max_connections, ConnectionsOf(OpenFileLimit()));
    socket_ = std::make_shared<ListenSocket>(options, &watchdog_);
    server_ = std::make_unique<TThreadedServer>(
        std::make_shared<ConnectionProcessorFactory>(&state_), socket_,
        std::make_shared<ServerTransportFactory>(), std::make_shared<WireProtocolFactory>());
    server_->setConcurrentClientLimit(state_.max_connections + limits::kMaxRefusedAtOnce);
  }
  ~Impl() { Stop(); }

  Status Listen(const ServerOptions& options) {
    try {
      socket_->listen();
    } catch (const TTransportException& error) {
      // Thrift keeps the errno in its text alone.
      if (std::string_view(error.what()).find(std::strerror(EACCES)) != std::string_view::npos) {
        return SystemError(EACCES, "listen on this port",
                           absl::StrCat(options.address, ":", options.port));
      }
      return Unavailable(
          {.message = absl::StrCat("cannot listen on ", options.address, ":", options.port, ": ",
                                   error.what()),
           .where = absl::StrCat(options.address, ":", options.port),
           .remedy = "Stop what uses the port, or choose another with --port (0 takes any)."});
    }
    return absl::OkStatus();
  }

  void Serve(ExecutorService* executors, ClientService* clients) {
    state_.executors = executors;
    state_.clients = clients;
    thread_ = Thread("rpc-accept", [this] { Accept(); });
  }

  int port() const { return socket_->getPort(); }
  int64_t connections() const { return state_.connections; }
  int64_t refused() const { return state_.refused; }

  void Stop() {
    MutexLock lock(stop_mutex_);
    if (std::exchange(stopped_, true)) return;
    stopping_ = true;
    state_.budgets.Close();
    server_->stop();
    watchdog_.Cap(Clock::Real().Now() + limits::kStopGrace);
    thread_.Join();
  }

 private:
  void Accept() {
    while (!stopping_) {
      try {
        server_->serve();
        return;
      } catch (const std::exception& error) {
        // A connection that got no thread, say; the port goes on.
        LogWarning("rpc: ", error.what());
      }
    }
  }

  ServerState state_;
  Watchdog watchdog_;
  std::shared_ptr<ListenSocket> socket_;
  std::unique_ptr<TThreadedServer> server_;
  std::atomic<bool> stopping_ = false;
  Mutex stop_mutex_;
  bool stopped_ DL_GUARDED_BY(stop_mutex_) = false;
  Thread thread_;
};

StatusOr<std::unique_ptr<Server>> Server::Listen(ServerOptions options) {
  DL_RETURN_IF_ERROR(CheckOptions(options));
  if (options.address == "localhost") options.address = "127.0.0.1";
  PrepareThrift();
  auto impl = std::make_unique<Impl>(options);
  DL_RETURN_IF_ERROR(impl->Listen(options));
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;
void Server::Serve(ExecutorService* executors, ClientService* clients) {
  impl_->Serve(executors, clients);
}
int Server::port() const { return impl_->port(); }
int64_t Server::connections() const { return impl_->connections(); }
int64_t Server::refused() const { return impl_->refused(); }
void Server::Stop() { impl_->Stop(); }

}  // namespace dl::rpc
