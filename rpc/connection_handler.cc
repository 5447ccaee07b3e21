#include "rpc/connection_handler.h"

#include <thrift/transport/TTransportException.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/trace.h"
#include "base/utf8.h"
#include "rpc/access.h"
#include "rpc/call_audit.h"
#include "rpc/caller_identity.h"
#include "rpc/caller_rights.h"
#include "rpc/connection_meter.h"
#include "rpc/convert.h"
#include "rpc/peer_network.h"
#include "rpc/protocol_version.h"
#include "rpc/wire_protocol.h"

namespace dl::rpc {
namespace {

Status NotServed() {
  return VersionMismatch({.message = "this server does not offer that method"});
}

Status DeniedError() { return Denied({.message = "denied"}); }

class Handler : public wire::MasterIf {
 public:
  Handler(ServerState* state, WireSocket& socket)
      : state_(*state),
        socket_(socket),
        address_(socket.PeerAddress()),
        network_(NetworkOf(address_)),
        lifetime_id_(socket.LimitLifetime(Clock::Real().Now() + state->hello_deadline)),
        meter_(state->budgets,
               {.moved_bytes = &socket.moved_bytes(), .end = socket.ShutdownFunction()}),
        rights_({.find_session = [state](uint64_t session) { return FindSession(*state, session); },
                 .tokens = state->services.tokens}),
        number_(++state_.connections) {
    state_.table.Add(network_, lifetime_id_);
  }
  ~Handler() override {
    --state_.connections;
    SetSession(0);
    state_.table.Remove(network_, lifetime_id_, rights_.caller());
  }

  // Called before any bytes of the call are read.
  bool MayCall(const Access& access) const {
    return meter_.authenticated() && rights_.MayCall(access);
  }
  // Must be called after a denied call. Later bytes on this connection are discarded.
  void DiscardRest() { socket_.DiscardRest(limits::kDeniedDiscardTime); }
  void RecordDenied(std::string_view what) {
    Note({.caller = rights_.caller(), .action = std::string(what), .result = "denied"});
  }

  ConnectionMeter& meter() { return meter_; }

  void Hello(wire::HelloReply& reply, const wire::HelloRequest& request) override {
    RequireText("Hello.version", request.version);
    RequireText("Hello.role", request.role);
    RequireText("Hello.credential", request.credential);
    RequireText("Hello.instance", request.instance);
    if (number_ > state_.max_connections) {
      RefuseAsTooMany(absl::StrCat(state_.max_connections, " connections, which is its limit"));
    }
    if (request.protocol != kProtocolVersion) {
      throw ErrorToWire(VersionMismatch(
          {.message =
               absl::StrCat("version mismatch: this master (", state_.version, ") speaks protocol ",
                            kProtocolVersion, ", the ", std::string(Utf8Prefix(request.role, 32)),
                            " (", std::string(Utf8Prefix(request.version, 64)),
                            ") speaks protocol ", request.protocol),
           .remedy = "Run the same version on both sides."}));
    }
    const std::optional<security::Identity> caller =
        IdentityOf(request.credential, socket_, state_.services.tokens);
    if (!caller) {
      RecordDenied("Hello");
      throw ErrorToWire(DeniedError());
    }
    if (!Authenticate(*caller, request.instance)) {
      RefuseAsTooMany(absl::StrCat(state_.max_connections_of_address, " connections from ",
                                   network_,
                                   " or with this token or owner of certificates, which is its "
                                   "limit"));
    }
    reply.protocol = kProtocolVersion;
    reply.version = state_.version;
    reply.owner = rights_.caller().owner;
    reply.role = security::RoleName(rights_.caller().role);
  }

#define DL_RPC_METHOD(service, Name, Reply, Request)                                     \
  static_assert(IsListed(#Name), "say in rpc/access.h who may call it");                 \
  void Name(wire::Reply& reply, const wire::Request& request, const int64_t deadline_ms) \
      override {                                                                         \
    Answer(state_.services.service, #Name, reply, Take<Request>(#Name, request),         \
           TimeLeft(deadline_ms), [](auto& to, const Request& message, Duration left) {  \
             return to.Name(message, left);                                              \
           });                                                                           \
  }
#define DL_RPC_VOID_METHOD(service, Name, Request)                              \
  static_assert(IsListed(#Name), "say in rpc/access.h who may call it");        \
  void Name(const wire::Request& request, const int64_t deadline_ms) override { \
    AnswerVoid(state_.services.service, #Name, Take<Request>(#Name, request),   \
               [&](auto& to, const Request& message) {                          \
                 return to.Name(message, TimeLeft(deadline_ms));                \
               });                                                              \
  }
  DL_RPC_METHOD(executors, Register, RegisterReply, RegisterRequest)
  DL_RPC_VOID_METHOD(executors, Goodbye, GoodbyeRequest)
  DL_RPC_METHOD(executors, LeaseUnits, LeaseReply, LeaseRequest)
  DL_RPC_METHOD(executors, Announce, AnnounceReply, AnnounceRequest)
  DL_RPC_VOID_METHOD(executors, ReportFailure, FailureReport)
  DL_RPC_METHOD(executors, FetchJob, FetchJobReply, FetchJobRequest)
  DL_RPC_METHOD(executors, FetchPart, Chunk, FetchRequest)
  DL_RPC_METHOD(executors, Contribute, ContributionReply, ContributionChunk)
  DL_RPC_VOID_METHOD(executors, OfferPart, OfferChunk)
  DL_RPC_METHOD(clients, MissingBlocks, MissingBlocksReply, MissingBlocksRequest)
  DL_RPC_VOID_METHOD(clients, PutBlocks, PutBlocksRequest)
  DL_RPC_METHOD(clients, Submit, SubmitReply, SubmitRequest)
  DL_RPC_METHOD(clients, Act, JobActionReply, JobActionRequest)
  DL_RPC_METHOD(clients, Query, QueryReply, QueryRequest)
  DL_RPC_METHOD(clients, Events, EventsReply, EventsRequest)
  DL_RPC_METHOD(clients, FetchCheckpoint, Chunk, FetchRequest)
  DL_RPC_VOID_METHOD(clients, EndRead, EndReadRequest)
  DL_RPC_METHOD(clients, Drain, DrainReply, DrainRequest)
  DL_RPC_METHOD(clients, Measure, MeasureReply, MeasureRequest)
  DL_RPC_METHOD(admins, CreateToken, CreateTokenReply, CreateTokenRequest)
  DL_RPC_METHOD(admins, ListTokens, ListTokensReply, ListTokensRequest)
  DL_RPC_VOID_METHOD(admins, RevokeToken, RevokeTokenRequest)
#undef DL_RPC_METHOD
#undef DL_RPC_VOID_METHOD

  void Heartbeat(wire::HeartbeatReply& reply, const wire::HeartbeatRequest& request,
                 const int64_t deadline_ms) override {
    const auto session = static_cast<uint64_t>(request.session);
    Answer(state_.services.executors, "Heartbeat", reply,
           Take<HeartbeatRequest>("Heartbeat", request), TimeLeft(deadline_ms),
           [](auto& to, const HeartbeatRequest& message, Duration left) {
             return to.Heartbeat(message, left);
           });
    // Set only after success, because only a session that the service knows can be lost.
    SetSession(session);
  }

  // Serves both services. Clients have no session.
  void FetchBlock(wire::Chunk& reply, const wire::FetchRequest& request,
                  const int64_t deadline_ms) override {
    const auto fetch = [](auto& to, const FetchRequest& message, Duration left) {
      return to.FetchBlock(message, left);
    };
    const Duration left = TimeLeft(deadline_ms);
    if (request.session == 0) {
      Answer(state_.services.clients, "FetchBlock", reply,
             Take<FetchRequest>("FetchBlock", request), left, fetch);
    } else {
      Answer(state_.services.executors, "FetchBlock", reply,
             Take<FetchRequest>("FetchBlock", request), left, fetch);
    }
  }

 private:
  static Duration TimeLeft(int64_t deadline_ms) {
    return std::chrono::milliseconds(
        std::clamp<int64_t>(deadline_ms, 0, limits::kMaxCallDeadline.count()));
  }

  // The generated processor owns the arguments, does not use them again, and declares them const
  // only in this signature. Moving from them saves the copy of a 4 MiB chunk.
  template <typename Request>
  static StatusOr<Request> Take(std::string_view method,
                                const typename WireOf<Request>::Type& request) {
    auto message =
        FromWire<Request>(std::move(const_cast<typename WireOf<Request>::Type&>(request)));
    if (message.ok()) return message;
    const Status& refusal = message.status();
    return MakeError(refusal.code(),
                     {.message = std::string(refusal.message()),
                      .where = absl::StrCat(std::string(method), ".", ErrorWhere(refusal)),
                      .remedy = ErrorRemedy(refusal)});
  }

  // Hello is not a message of rpc/messages.h. An error in Hello ends the connection.
  static void RequireText(std::string_view where, const std::string& text) {
    if (static_cast<int64_t>(text.size()) <= limits::kMaxShortText && IsUtf8(text)) return;
    throw ErrorToWire(
        InvalidArgument({.message = "a greeting has a text that is too long or not UTF-8",
                         .where = std::string(where)}));
  }

  template <typename Service, typename Reply, typename Request, typename Method>
  void Answer(Service* service, std::string_view name, Reply& reply, StatusOr<Request> request,
              Duration left, Method method) {
    const Span span(spans::kServe);
    const ConnectionMeter::InService in_service(meter_);
    AuthorizeRequest(service, name, request);
    // Waiting for memory counts against the call's deadline.
    const Instant end = Clock::Real().Now() + left;
    const AnswerLimits answer = AnswerTo(name, *request);
    if (Status room = meter_.ReserveAnswer(answer, end); !room.ok()) throw ErrorToWire(room);
    auto result = method(*service, *request, end - Clock::Real().Now());
    RecordOutcome(name, *request, result.status(), result.ok() ? SubjectFromReply(*result) : "");
    if (!result.ok()) throw ErrorToWire(result.status());
    if (Status room = meter_.ChargeAnswer(BytesOf(*result), answer.share, end); !room.ok())
      throw ErrorToWire(room);
    auto wire = ToWire(*std::move(result));
    if (!wire.ok()) throw ErrorToWire(wire.status());
    reply = *std::move(wire);
  }

  template <typename Service, typename Request, typename Method>
  void AnswerVoid(Service* service, std::string_view name, StatusOr<Request> request,
                  Method method) {
    const Span span(spans::kServe);
    const ConnectionMeter::InService in_service(meter_);
    AuthorizeRequest(service, name, request);
    const Status status = method(*service, *request);
    RecordOutcome(name, *request, status);
    if (!status.ok()) throw ErrorToWire(status);
  }

  [[noreturn]] void RefuseAsTooMany(const std::string& what) const {
    ++state_.refused;
    throw ErrorToWire(Unavailable({.message = "the master has " + what,
                                   .remedy = "Try again later. Start fewer executors, or let the "
                                             "master open more files (ulimit -n)."}));
  }

  // Returns false if the address, or the token or owner, has too many connections.
  bool Authenticate(const security::Identity& caller, const std::string& instance) {
    if (!state_.table.MarkAuthenticated(network_, lifetime_id_, caller,
                                        state_.max_connections_of_address))
      return false;
    rights_.Identify(caller, instance);
    socket_.LimitLifetime(ValidUntil(caller, socket_, state_.services.tokens));
    meter_.MarkAuthenticated(caller.token.empty() ? caller.owner : caller.token);
    return true;
  }

  // Throws if the request is not served. Denied registrations are recorded in the audit log.
  template <typename Service, typename Request>
  void AuthorizeRequest(const Service* service, std::string_view name, StatusOr<Request>& request) {
    if (!request.ok()) throw ErrorToWire(request.status());
    if (service == nullptr) throw ErrorToWire(NotServed());
    const Status may = rights_.AuthorizeRequest<Service>(*request);
    if (may.ok()) return;
    if constexpr (std::is_same_v<Request, RegisterRequest>) RecordOutcome(name, *request, may);
    throw ErrorToWire(may);
  }

  static std::optional<SessionHolder> FindSession(const ServerState& state, uint64_t session) {
    const ExecutorService* const executors = state.services.executors;
    return executors == nullptr ? std::nullopt : executors->FindSession(session);
  }

  template <typename Request>
  void RecordOutcome(std::string_view method, const Request& request, const Status& status,
                     const std::string& subject = "") {
    std::optional<security::AuditEntry> entry = MakeAuditEntry(method, request);
    if (!entry) return;
    entry->caller = rights_.caller();
    entry->administrative = entry->caller.role == security::Role::kAdmin &&
                            IsAdministrative(request) && !absl::IsUnauthenticated(status);
    if (!subject.empty())
      absl::StrAppend(&entry->subject, entry->subject.empty() ? "" : " ", subject);
    entry->result = absl::IsUnauthenticated(status) ? "denied" : ErrorCodeName(status.code());
    Note(*std::move(entry));
  }
  void Note(security::AuditEntry entry) {
    entry.address = address_;
    entry.network = network_;
    if (state_.services.audit != nullptr) state_.services.audit->Write(entry);
  }

  // Sets the session whose heartbeats this connection carries; 0: none.
  void SetSession(uint64_t session) {
    if (session == session_) return;
    if (session != 0) state_.heartbeats.Add(session);
    if (session_ != 0 && state_.heartbeats.Remove(session_))
      state_.services.executors->ConnectionLost(session_);
    session_ = session;
  }

  ServerState& state_;
  WireSocket& socket_;
  const std::string address_, network_;
  const uint64_t lifetime_id_;
  ConnectionMeter meter_;
  CallerRights rights_;  // identified by Hello
  uint64_t session_ = 0;
  const int64_t number_;
};

namespace protocol = apache::thrift::protocol;
using protocol::TProtocol;

class ConnectionProcessor : public wire::MasterProcessor {
 public:
  explicit ConnectionProcessor(std::shared_ptr<Handler> handler)
      : wire::MasterProcessor(handler), handler_(std::move(handler)) {}

  // Thrift's server continues to read after some exceptions, at an undefined position in the
  // stream. This ends the connection instead.
  bool process(std::shared_ptr<TProtocol> in, std::shared_ptr<TProtocol> out,
               void* context) override {
    static_cast<WireProtocol&>(*in).SetMeter(&handler_->meter());
    bool goes_on = false;
    try {
      goes_on = wire::MasterProcessor::process(std::move(in), std::move(out), context);
    } catch (const std::exception& error) {
      LogDebug("rpc: closing a connection: ", error.what());
    }
    handler_->meter().End();
    return goes_on;
  }

 protected:
  bool dispatchCall(TProtocol* in, TProtocol* out, const std::string& method, int32_t seqid,
                    void* context) override {
    const bool hello = method == "Hello";
    if (hello == handler_->meter().authenticated()) return false;
    // The generated code refuses unknown methods.
    if (const Access* access = FindAccess(method);
        access != nullptr && !handler_->MayCall(*access)) {
      handler_->RecordDenied(method);
      Refuse(*out, method, seqid);
      handler_->DiscardRest();
      return false;
    }
    return wire::MasterProcessor::dispatchCall(in, out, method, seqid, context) &&
           handler_->meter().authenticated();
  }

 private:
  // Answers with an error as the generated code does. Does not read the arguments, which the peer
  // may never send.
  static void Refuse(TProtocol& out, const std::string& method, int32_t seqid) {
    out.writeMessageBegin(method, protocol::T_REPLY, seqid);
    out.writeStructBegin("");
    out.writeFieldBegin("error", protocol::T_STRUCT, 1);
    ErrorToWire(DeniedError()).write(&out);
    out.writeFieldEnd();
    out.writeFieldStop();
    out.writeStructEnd();
    out.writeMessageEnd();
    out.getTransport()->writeEnd();
    out.getTransport()->flush();
  }

  const std::shared_ptr<Handler> handler_;  // shared ownership is required by the generated base
};

}  // namespace

std::shared_ptr<apache::thrift::TProcessor> MakeConnectionProcessor(ServerState* state,
                                                                    WireSocket& socket) {
  return std::make_shared<ConnectionProcessor>(std::make_shared<Handler>(state, socket));
}

}  // namespace dl::rpc
