#include "rpc/connection.h"

#include <thrift/TApplicationException.h>

#include <algorithm>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "rpc/convert.h"
#include "rpc/wire_transport.h"

namespace dl::rpc {

using apache::thrift::TApplicationException;
using apache::thrift::protocol::TProtocolException;
using apache::thrift::transport::TTransportException;

namespace {

constexpr char kRemedyAddress[] = "Check the address, and that dl-submit master runs there.";

// What a peer said of itself, whatever it is.
std::string ToText(std::string_view said, size_t max_bytes = limits::kMaxShortText) {
  return RepairUtf8(Utf8Prefix(said, max_bytes));
}

Status NotParavane(const std::string& peer, const char* what) {
  return VersionMismatch(
      {.message = absl::StrCat("the peer does not speak Paravane's protocol: ", what),
       .where = peer,
       .remedy = "Check that the address is a master's, of the same version."});
}

}  // namespace

Connection::Connection(const ClientOptions& options, Watchdog* watchdog)
    : peer_(ToString(options.endpoint)),
      socket_(
          std::make_shared<WireSocket>(options.endpoint.host, options.endpoint.port, watchdog)) {
  auto transport = std::make_shared<WireTransport>(socket_, WireTransport::Side::kClient);
  protocol_ = std::make_shared<WireProtocol>(transport);
  stub_ = std::make_unique<wire::MasterClient>(protocol_);
}

StatusOr<std::unique_ptr<Connection>> Connection::Open(const ClientOptions& options,
                                                       Watchdog* watchdog, Instant deadline,
                                                       bool* full) {
  *full = false;
  std::unique_ptr<Connection> connection(new Connection(options, watchdog));
  DL_RETURN_IF_ERROR(connection->Connect(deadline));
  const Status greeted = connection->Hello(options, deadline);
  // Its own word, that is: whatever breaks a connection is unavailable too.
  *full = absl::IsUnavailable(greeted) && !connection->broken();
  if (!greeted.ok()) return greeted;
  return connection;
}

Status Connection::Connect(Instant deadline) {
  const Duration left =
      std::min<Duration>(deadline - Clock::Real().Now(), limits::kConnectDeadline);
  const auto left_ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  if (left_ms <= 0) return DeadlineExceeded({.message = "no time left to connect", .where = peer_});
  try {
    socket_->setConnTimeout(static_cast<int>(left_ms));
    socket_->open();
    socket_->SetTcpOptions();
  } catch (const std::exception& error) {
    return Unavailable({.message = absl::StrCat("cannot connect to the master: ", error.what()),
                        .where = peer_,
                        .remedy = kRemedyAddress});
  }
  return absl::OkStatus();
}

Status Connection::Hello(const ClientOptions& options, Instant deadline) {
  wire::HelloRequest request;
  request.protocol = options.protocol;
  request.version = options.version;
  request.role = options.role;
  wire::HelloReply reply;
  DL_RETURN_IF_ERROR(Call(deadline, [&](wire::MasterClient& stub) { stub.Hello(reply, request); }));
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
  if (timed_out && broken_) {
    status = DeadlineExceeded({.message = "the master did not answer in time", .where = peer_});
  }
  broken_ = broken_ || timed_out;
  if (broken_) socket_->close();
  return status;
}

Status Connection::Exchange(const std::function<void(wire::MasterClient&)>& exchange) {
  try {
    exchange(*stub_);
    return absl::OkStatus();
  } catch (const wire::RpcError& error) {
    return ErrorFromWire(error);
  } catch (const TTransportException& error) {
    broken_ = true;
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
