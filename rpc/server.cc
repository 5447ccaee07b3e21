#include "rpc/server.h"

#include <thrift/server/TThreadedServer.h>
#include <thrift/transport/TServerSocket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/freed_memory.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/open_files.h"
#include "base/system_error.h"
#include "base/thread.h"
#include "base/thread_limit.h"
#include "rpc/connection_handler.h"
#include "rpc/endpoint.h"
#include "rpc/lobby.h"
#include "rpc/thrift_process.h"
#include "rpc/tls_socket.h"
#include "rpc/wire_protocol.h"
#include "rpc/wire_socket.h"
#include "rpc/wire_transport.h"

namespace dl::rpc {
namespace {

using apache::thrift::server::TThreadedServer;
using apache::thrift::transport::TServerSocket;
using apache::thrift::transport::TSocket;
using apache::thrift::transport::TTransport;
using apache::thrift::transport::TTransportException;

// Lower bound of the lobby's size, for servers with few connections.
constexpr int64_t kMinLobby = 16;

Status CheckOptions(const ServerOptions& options) {
  DL_RETURN_IF_ERROR(CheckReach(options.address, options.tls.has_value()));
  if (options.port < 0 || options.port > 65535) {
    return InvalidArgument(
        {.message = absl::StrCat("port ", options.port, " is not between 0 and 65535")});
  }
  if (options.max_connections < 1) {
    return InvalidArgument({.message = "a server needs at least one connection"});
  }
  return absl::OkStatus();
}

std::string LocalHost(const std::string& address) {
  if (address == "::") return "::1";
  return address == "0.0.0.0" ? "127.0.0.1" : address;
}

class ListenSocket : public TServerSocket {
 public:
  ListenSocket(const ServerOptions& options, std::shared_ptr<TlsSettings> tls,
               std::unique_ptr<Lobby> lobby, Watchdog* watchdog)
      : TServerSocket(options.address, options.port),
        tls_(std::move(tls)),
        lobby_(std::move(lobby)),
        idle_(options.idle_deadline),
        watchdog_(watchdog) {}

  // Called by Server::Listen, to learn the port and errors early, and again by
  // TThreadedServer::serve.
  void listen() override {
    if (!std::exchange(listening_, true)) TServerSocket::listen();
  }

  void interrupt() override {
    lobby_->Wake();
    TServerSocket::interrupt();
  }

 protected:
  std::shared_ptr<TSocket> createSocket(int fd) override {
    if (tls_ != nullptr) return std::make_shared<TlsSocket>(*tls_, fd, pChildInterruptSockReader_);
    return std::make_shared<TSocket>(fd, pChildInterruptSockReader_, SocketLimits());
  }

  std::shared_ptr<TTransport> acceptImpl() override {
    auto accepted = lobby_->Next(getSocketFD(), [this] {
      return std::static_pointer_cast<TSocket>(TServerSocket::acceptImpl());
    });
    if (accepted == nullptr) throw TTransportException(TTransportException::INTERRUPTED);
    accepted->setRecvTimeout(static_cast<int>(idle_.count()));
    auto socket = std::make_shared<WireSocket>(std::move(accepted), watchdog_);
    socket->SetTcpOptions();
    return socket;
  }

 private:
  const std::shared_ptr<TlsSettings> tls_;  // shared with Thrift's sockets; null: not encrypted
  const std::unique_ptr<Lobby> lobby_;
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
      const apache::thrift::TConnectionInfo& connection) override {
    return MakeConnectionProcessor(state_, static_cast<WireSocket&>(*connection.transport));
  }

 private:
  ServerState* const state_;
};

}  // namespace

class Server::Impl {
 public:
  explicit Impl(const ServerOptions& options)
      : state_(watchdog_), local_host_(LocalHost(options.address)) {
    state_.version = options.version;
    state_.hello_deadline = options.hello_deadline;
    state_.max_connections = std::min(options.max_connections, ConnectionsOf(RaiseOpenFileLimit()));
    // Keeps some connections for other addresses.
    state_.max_connections_of_address = ConnectionsOfOneAddress(state_.max_connections);
  }
  ~Impl() { Stop(); }

  Status Listen(const ServerOptions& options, std::shared_ptr<TlsSettings> tls) {
    DL_ASSIGN_OR_RETURN(auto lobby,
                        Lobby::Open({.encrypted = tls != nullptr,
                                     .capacity = std::max(kMinLobby, state_.max_connections / 4),
                                     .timeout = options.hello_deadline,
                                     .may_enter = [this](const std::string& address) {
                                       return state_.table.MayEnter(address);
                                     }}));
    socket_ = std::make_shared<ListenSocket>(options, std::move(tls), std::move(lobby), &watchdog_);
    server_ = std::make_unique<TThreadedServer>(
        std::make_shared<ConnectionProcessorFactory>(&state_), socket_,
        std::make_shared<ServerTransportFactory>(), std::make_shared<WireProtocolFactory>());
    server_->setConcurrentClientLimit(state_.max_connections + limits::kMaxWaitingRefusals);
    try {
      socket_->listen();
    } catch (const TTransportException& error) {
      // Thrift keeps the errno only in its message.
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

  void Serve(const Services& services) {
    state_.services = services;
    if (services.tokens != nullptr) {
      services.tokens->SetRevocationCallback(
          [this](const std::string& token) { state_.table.EndConnections(token); });
    }
    thread_ = Thread("rpc-accept", [this] { Accept(); });
  }

  int port() const { return socket_->getPort(); }
  const std::string& local_host() const { return local_host_; }
  int64_t connections() const { return state_.connections; }
  int64_t refused() const { return state_.refused; }

  void Stop() {
    MutexLock lock(stop_mutex_);
    if (std::exchange(stopped_, true)) return;
    stopping_ = true;
    state_.budgets.Close();
    if (server_ != nullptr) server_->stop();
    watchdog_.Cap(Clock::Real().Now() + limits::kStopGrace);
    thread_.Join();
    if (state_.services.tokens != nullptr) state_.services.tokens->SetRevocationCallback(nullptr);
  }

 private:
  void Accept() {
    while (!stopping_) {
      try {
        server_->serve();
        return;
      } catch (const std::system_error& error) {
        // No thread could be started for a connection, which is closed. The server continues.
        if (MayWarn())
          LogWarning("rpc: ", DescribeError(
                                  CannotStart(error.code().value(), "the thread of a connection")));
      } catch (const std::exception& error) {
        if (MayWarn()) LogWarning("rpc: ", error.what());
      }
    }
  }

  // Returns true at most once in kWarningPause, because peers could else fill the log.
  bool MayWarn() {
    const Instant now = Clock::Real().Now();
    if (warned_ && now < *warned_ + kWarningPause) return false;
    warned_ = now;
    return true;
  }

  static constexpr Duration kWarningPause = std::chrono::minutes(1);

  Watchdog watchdog_;
  ServerState state_;
  const std::string local_host_;
  std::shared_ptr<ListenSocket> socket_;
  std::unique_ptr<TThreadedServer> server_;
  std::atomic<bool> stopping_ = false;
  Mutex stop_mutex_;
  bool stopped_ DL_GUARDED_BY(stop_mutex_) = false;
  Thread thread_;
  std::optional<Instant> warned_;  // used by the accepting thread only
};

StatusOr<std::unique_ptr<Server>> Server::Listen(ServerOptions options) {
  DL_RETURN_IF_ERROR(CheckOptions(options));
  if (options.address == "localhost") options.address = "127.0.0.1";
  PrepareThrift();
  BoundFreedMemory();  // the accounting of messages relies on it
  std::shared_ptr<TlsSettings> tls;
  if (options.tls) {
    DL_ASSIGN_OR_RETURN(tls, TlsSettings::ForMaster(*options.tls));
  }
  auto impl = std::make_unique<Impl>(options);
  DL_RETURN_IF_ERROR(impl->Listen(options, std::move(tls)));
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Status CheckReach(const std::string& address, bool encrypted) {
  if (encrypted || IsLoopback(address)) return absl::OkStatus();
  return FailedPrecondition(
      {.message = absl::StrCat("refusing to listen on ", address,
                               ": other machines reach this address, and there are no keys"),
       .where = address,
       .remedy = "Create keys once, in the master's data folder: dl-submit cluster init --data-dir "
                 "DIR; or listen on 127.0.0.1"});
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;
void Server::Serve(const Services& services) { impl_->Serve(services); }
int Server::port() const { return impl_->port(); }
Endpoint Server::LocalEndpoint() const { return {impl_->local_host(), port()}; }
int64_t Server::connections() const { return impl_->connections(); }
int64_t Server::refused() const { return impl_->refused(); }
void Server::Stop() { impl_->Stop(); }

}  // namespace dl::rpc
