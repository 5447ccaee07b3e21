#include "rpc/connection.h"

#include <thrift/TApplicationException.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "rpc/connect_error.h"
#include "rpc/convert.h"
#include "rpc/remedy_text.h"
#include "rpc/socket_owner.h"
#include "rpc/wire_transport.h"

namespace dl::rpc {

using apache::thrift::TApplicationException;
using apache::thrift::protocol::TProtocolException;
using apache::thrift::transport::TSocket;
using apache::thrift::transport::TTransportException;

namespace {

constexpr char kRemedyAddress[] = "Check the address, and that dl-submit master runs there.";

// Returns a printable version of a text that a peer sent.
std::string ToText(std::string_view said, size_t max_bytes = limits::kMaxShortText) {
  return RepairUtf8(Utf8Prefix(said, max_bytes));
}

std::shared_ptr<TSocket> MakeSocket(const Endpoint& to,
                                    const ConnectionCredentials& connection_credentials) {
  if (connection_credentials.tls != nullptr)
    return std::make_shared<TlsSocket>(*connection_credentials.tls, to.host, to.port);
  return std::make_shared<TSocket>(to.host, to.port, SocketLimits());
}

// The master's answer to a denied client is one word. The client knows more about the reason.
Status DeniedError(const Credentials& credentials, const std::string& peer) {
  if (credentials.token.empty() && credentials.certificate.empty()) {
    return Denied({.message = "the master requires a token",
                   .where = peer,
                   .remedy = "Give --token-file FILE (DL_TOKEN_FILE). An admin of the master "
                             "creates tokens: dl-submit cluster token create"});
  }
  const std::string shown = credentials.token.empty()        ? credentials.certificate
                            : credentials.token_from.empty() ? "the token"
                                                             : credentials.token_from;
  return Denied({.message = absl::StrCat("the master rejects ", shown),
                 .where = peer,
                 .remedy = "It belongs to another cluster, is revoked or has expired. An admin "
                           "lists valid tokens: dl-submit cluster token list"});
}

Status NotParavane(const std::string& peer, const char* what) {
  return VersionMismatch(
      {.message = absl::StrCat("the peer does not speak Paravane's protocol: ", what),
       .where = peer,
       .remedy = "Check that the address is that of a master of the same version."});
}

Status NotOwnMaster(const std::string& peer, uid_t owner) {
  return Denied(
      {.message =
           absl::StrCat("the program at that address belongs to another user of this machine (",
                        owner, "), who would receive the token"),
       .where = peer,
       .remedy = absl::StrCat(
           "Check the port. If the master belongs to that user, give --master-user ", owner,
           " (DL_MASTER_USER); or create keys for the master: dl-submit cluster init")});
}

Status UnknownPeerError(const std::string& peer) {
  return Denied(
      {.message = "the owner of the listening process is unknown, so nothing is sent unencrypted",
       .where = peer,
       .remedy = "Check that the address is this machine's own, and that /proc/net/tcp can be "
                 "read; or create keys for the master: dl-submit cluster init"});
}

}  // namespace

Connection::Connection(const Endpoint& master, const ConnectionCredentials& connection_credentials,
                       Watchdog* watchdog)
    : endpoint_(master),
      peer_(ToString(endpoint_)),
      certificate_(connection_credentials.credentials.certificate),
      socket_(std::make_shared<WireSocket>(MakeSocket(master, connection_credentials), watchdog)) {
  auto transport = std::make_shared<WireTransport>(socket_, WireTransport::Side::kClient);
  protocol_ = std::make_shared<WireProtocol>(transport);
  stub_ = std::make_unique<wire::MasterClient>(protocol_);
}

StatusOr<std::unique_ptr<Connection>> Connection::Open(const CredentialSource& credential_source,
                                                       Watchdog* watchdog, Instant deadline,
                                                       bool* full) {
  *full = false;
  DL_ASSIGN_OR_RETURN(const ConnectionCredentials connection_credentials, credential_source.Find());
  const Credentials& credentials = connection_credentials.credentials;
  std::unique_ptr<Connection> connection(
      new Connection(credential_source.options().endpoint, connection_credentials, watchdog));
  DL_RETURN_IF_ERROR(connection->Connect(deadline));
  DL_RETURN_IF_ERROR(connection->CheckPeer(connection_credentials));
  Status greeted = connection->Hello(credential_source, credentials, deadline);
  if (absl::IsUnauthenticated(greeted)) {
    // A restarted master may need other credentials than the master that this call waited for.
    const auto now = credential_source.Find();
    if (now.ok() && now->credentials != credentials)
      return Open(credential_source, watchdog, deadline, full);
    if (!connection->broken()) greeted = DeniedError(credentials, connection->peer_);
  }
  // Only the master's own answer counts: a broken connection is Unavailable too.
  *full = absl::IsUnavailable(greeted) && !connection->broken();
  if (!greeted.ok()) return greeted;
  // The answer arrived when the time was over, and the watchdog has shut the connection down.
  if (connection->broken()) return connection->DeadlineError();
  return connection;
}

Status Connection::Connect(Instant deadline) {
  const Duration left =
      std::min<Duration>(deadline - Clock::Real().Now(), limits::kConnectDeadline);
  const auto left_ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  if (left_ms <= 0) {
    return TimeoutError(
        absl::StrCat("no time was left to connect to the master on ", endpoint_.host), endpoint_);
  }
  try {
    socket_->SetConnectTimeout(static_cast<int>(left_ms));
    socket_->open();
    socket_->SetTcpOptions();
    address_ = socket_->PeerAddress();
  } catch (const std::exception& error) {
    return ConnectError(endpoint_, error.what());
  }
  return absl::OkStatus();
}

// With encryption the handshake verifies the peer. Without it, the token is sent in plain text, and
// a name or an abandoned port may lead to any user's process on this machine.
Status Connection::CheckPeer(const ConnectionCredentials& connection_credentials) {
  if (connection_credentials.tls != nullptr) return absl::OkStatus();
  const std::optional<uid_t> owner = OwnerOfPeer(socket_->socket().getSocketFD());
  if (!owner) return UnknownPeerError(peer_);
  const std::vector<uid_t>& others = connection_credentials.credentials.master_users;
  if (*owner == geteuid() || *owner == 0 || std::ranges::find(others, *owner) != others.end())
    return absl::OkStatus();
  return NotOwnMaster(peer_, *owner);
}

Status Connection::Hello(const CredentialSource& credential_source, const Credentials& credentials,
                         Instant deadline) {
  const ClientOptions& options = credential_source.options();
  wire::HelloRequest request;
  request.credential = credentials.token;
  request.instance = credential_source.instance();
  request.protocol = options.protocol;
  request.version = options.version;
  request.role = options.role;
  wire::HelloReply reply;
  DL_RETURN_IF_ERROR(Call(deadline, [&](wire::MasterClient& stub) { stub.Hello(reply, request); }));
  role_ = ToText(reply.role, 64);
  credential_source.SetOwner(ToText(reply.owner));
  if (reply.protocol == options.protocol) return absl::OkStatus();
  return VersionMismatch(
      {.message = absl::StrCat("version mismatch: the master (", ToText(reply.version, 64),
                               ") speaks protocol ", reply.protocol, ", this ", options.role, " (",
                               options.version, ") speaks protocol ", options.protocol),
       .where = peer_,
       .remedy = "Run the same version on both sides."});
}

Status Connection::Call(Instant deadline,
                        const std::function<void(wire::MasterClient&)>& exchange) {
  socket_->Arm(deadline);
  Status status = Exchange(exchange);
  protocol_->LendBinary(nullptr);
  const bool timed_out = socket_->Disarm();
  if (timed_out && broken_) status = DeadlineError();
  broken_ = broken_ || timed_out;
  if (broken_) socket_->close();
  return status;
}

Status Connection::DeadlineError() const {
  const std::string machine = FormatMachine(endpoint_.host, address_);
  const bool greeted = !role_.empty();
  if (greeted)
    return TimeoutError(absl::StrCat("the master on ", machine, " did not answer in time"),
                        endpoint_);
  return DeadlineExceeded(
      {.message = absl::StrCat("a program on ", machine,
                               " accepted the connection and did not answer: it is not a master, "
                               "or a master that is overloaded or stopped"),
       .where = peer_,
       .remedy =
           absl::StrCat("Check the address and the port: ss -ltnp on that machine shows which "
                        "program listens on port ",
                        endpoint_.port,
                        ". If it is dl-submit master, look at its log and at the load of its "
                        "machine, and try again")});
}

Status Connection::Exchange(const std::function<void(wire::MasterClient&)>& exchange) {
  try {
    exchange(*stub_);
    return absl::OkStatus();
  } catch (const wire::RpcError& error) {
    Status status = WithRemedyText(ErrorFromWire(error));
    // The server closes a connection on which it denied a call.
    if (!role_.empty() && absl::IsUnauthenticated(status)) broken_ = true;
    // The master does not explain a call that the role may not make. The role is known here.
    if (role_.empty() || !absl::IsUnauthenticated(status) || !ErrorRemedy(status).empty())
      return status;
    return Denied({.message = absl::StrCat("denied: the role ", role_, " does not allow this call"),
                   .where = peer_,
                   .remedy = "Use a token of another role. An admin of the master creates tokens: "
                             "dl-submit cluster token create"});
  } catch (const TTransportException& error) {
    broken_ = true;
    if (const auto* const encrypted = dynamic_cast<const TlsSocket*>(&socket_->socket())) {
      Status not_believed = security::PeerVerificationError(encrypted->connection(), peer_);
      if (!not_believed.ok()) return not_believed;
      Status not_taken = security::CertificateRejectedError(error.what(), certificate_, peer_);
      if (!not_taken.ok()) return not_taken;
      if (security::IsNotTls(error.what()))
        return NotParavane(peer_, "it answers, but not with TLS");
    }
    return Unavailable(
        {.message = absl::StrCat("lost the connection to the master: ", error.what()),
         .where = peer_,
         .remedy = kRemedyAddress});
  } catch (const TApplicationException& error) {
    broken_ = true;
    if (error.getType() == TApplicationException::UNKNOWN_METHOD) {
      return VersionMismatch({.message = absl::StrCat("version mismatch: ", ToText(error.what())),
                              .where = peer_,
                              .remedy = "Run the same version on both sides."});
    }
    return Internal(
        {.message = absl::StrCat("the master failed: ", ToText(error.what())), .where = peer_});
  } catch (const TProtocolException& error) {
    broken_ = true;
    if (error.getType() == TProtocolException::SIZE_LIMIT) {
      return ResourceExhausted({.message = "an answer is over the size limits", .where = peer_});
    }
    return NotParavane(peer_, error.what());
  } catch (const std::bad_alloc&) {
    broken_ = true;
    return ResourceExhausted({.message = "out of memory for an answer", .where = peer_});
  } catch (const std::exception& error) {
    broken_ = true;
    return Internal({.message = absl::StrCat("a call failed: ", error.what()), .where = peer_});
  }
}

}  // namespace dl::rpc
