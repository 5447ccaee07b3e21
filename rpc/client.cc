#include "rpc/client.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/limits.h"
#include "base/trace.h"
#include "rpc/connection_pool.h"
#include "rpc/convert.h"
#include "rpc/credential_source.h"
#include "rpc/failure_report.h"
#include "rpc/held_lists.h"
#include "rpc/thrift_process.h"

namespace dl::rpc {

class Client::Impl {
 public:
  explicit Impl(std::unique_ptr<CredentialSource> credential_source)
      : credential_source_(std::move(credential_source)),
        heartbeats_(Duration(0), *credential_source_, &watchdog_),
        polls_(Duration(0), *credential_source_, &watchdog_),
        others_(options().growth_delay, *credential_source_, &watchdog_),
        heartbeat{heartbeats_, 1},
        poll{polls_, options().poll_connections},
        bulk{others_, options().bulk_connections},
        control{others_, options().bulk_connections + options().control_connections} {}

  const ClientOptions& options() const { return credential_source_->options(); }

  // The connections for a kind of call, and how many may be in use when such a call takes one.
  struct Kind {
    ConnectionPool& pool;
    int most;
  };

  std::string owner() const { return credential_source_->owner(); }

  void Close() {
    closed_ = true;
    for (ConnectionPool* pool : {&heartbeats_, &polls_, &others_}) pool->Close();
    watchdog_.Cap(Clock::Real().Now());
  }

  // `method` is a member of the generated stub: void (Reply& _return, const Request&, deadline_ms).
  template <typename Reply, typename Request, typename Method>
  StatusOr<Reply> Call(const Kind& kind, const Request& request, Duration deadline, Method method) {
    typename WireOf<Reply>::Type reply;
    DL_RETURN_IF_ERROR(Exchange(kind, request, deadline,
                                [&](wire::MasterClient& stub, const auto& wire, int64_t left_ms) {
                                  (stub.*method)(reply, wire, left_ms);
                                }));
    return FromWire<Reply>(std::move(reply));
  }

  // For methods without an answer: void (const Request&, deadline_ms).
  template <typename Request, typename Method>
  Status CallVoid(const Kind& kind, const Request& request, Duration deadline, Method method) {
    return Exchange(kind, request, deadline,
                    [&](wire::MasterClient& stub, const auto& wire, int64_t left_ms) {
                      (stub.*method)(wire, left_ms);
                    });
  }

 private:
  template <typename Request, typename Send>
  Status Exchange(const Kind& kind, const Request& request, Duration deadline, Send send) {
    const Span span(spans::kCall);
    const Instant end =
        Clock::Real().Now() + std::clamp<Duration>(deadline, Duration(0), limits::kMaxCallDeadline);
    const std::string* bytes = nullptr;
    DL_ASSIGN_OR_RETURN(auto wire, ToWireLending(request, &bytes));
    auto connection = kind.pool.Take(end, kind.most);
    if (!connection.ok()) return Explain(connection.status());
    (*connection)->LendBinary(bytes);
    Status status = (*connection)->Call(end, [&](wire::MasterClient& stub) {
      const Duration left = std::max(end - Clock::Real().Now(), Duration(0));
      send(stub, wire, std::chrono::ceil<std::chrono::milliseconds>(left).count());
    });
    const bool broken = (*connection)->broken();
    kind.pool.Return(*std::move(connection));
    for (ConnectionPool* pool : {&polls_, &others_}) pool->CloseSpare();
    if (absl::IsUnauthenticated(status)) return DeniedError(std::move(status), end);
    return broken ? Explain(std::move(status)) : status;
  }

  // Explains a denied call on an admitted connection. If the token was revoked meanwhile, a new
  // greeting is denied too, and its error is more useful.
  Status DeniedError(Status denied, Instant end) {
    bool full = false;
    Status greeted = Connection::Open(*credential_source_, &watchdog_, end, &full).status();
    return absl::IsUnauthenticated(greeted) ? greeted : denied;
  }

  // After Close a broken connection is expected.
  Status Explain(Status status) const {
    if (status.ok() || !closed_) return status;
    return Cancelled({.message = "the client was closed", .where = ToString(options().endpoint)});
  }

  const std::unique_ptr<const CredentialSource> credential_source_;
  Watchdog watchdog_;
  std::atomic<bool> closed_ = false;
  ConnectionPool heartbeats_, polls_, others_;

 public:
  const Kind heartbeat, poll, bulk, control;
};

StatusOr<std::unique_ptr<Client>> Client::Connect(ClientOptions options) {
  PrepareThrift();
  DL_ASSIGN_OR_RETURN(auto credential_source, CredentialSource::Create(std::move(options)));
  return std::unique_ptr<Client>(new Client(std::make_unique<Impl>(std::move(credential_source))));
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;
void Client::Close() { impl_->Close(); }
std::string Client::owner() const { return impl_->owner(); }

#define DL_RPC_METHOD(kind, Name, Reply, Request)                                         \
  StatusOr<Reply> Client::Name(const Request& request, Duration deadline) {               \
    return impl_->Call<Reply>(impl_->kind, request, deadline, &wire::MasterClient::Name); \
  }
#define DL_RPC_VOID_METHOD(kind, Name, Request)                                        \
  Status Client::Name(const Request& request, Duration deadline) {                     \
    return impl_->CallVoid(impl_->kind, request, deadline, &wire::MasterClient::Name); \
  }
DL_RPC_METHOD(heartbeat, Heartbeat, HeartbeatReply, HeartbeatRequest)
DL_RPC_VOID_METHOD(control, Goodbye, GoodbyeRequest)
DL_RPC_METHOD(poll, LeaseUnits, LeaseReply, LeaseRequest)
DL_RPC_METHOD(control, Announce, AnnounceReply, AnnounceRequest)
DL_RPC_METHOD(control, FetchJob, FetchJobReply, FetchJobRequest)
DL_RPC_METHOD(bulk, FetchPart, Chunk, FetchRequest)
DL_RPC_METHOD(bulk, FetchBlock, Chunk, FetchRequest)
DL_RPC_METHOD(bulk, Contribute, ContributionReply, ContributionChunk)
DL_RPC_VOID_METHOD(bulk, OfferPart, OfferChunk)
DL_RPC_VOID_METHOD(bulk, PutBlocks, PutBlocksRequest)
DL_RPC_METHOD(control, Submit, SubmitReply, SubmitRequest)
DL_RPC_METHOD(control, Act, JobActionReply, JobActionRequest)
DL_RPC_METHOD(control, Query, QueryReply, QueryRequest)
DL_RPC_METHOD(poll, Events, EventsReply, EventsRequest)
DL_RPC_METHOD(bulk, FetchCheckpoint, Chunk, FetchRequest)
DL_RPC_VOID_METHOD(control, EndRead, EndReadRequest)
DL_RPC_METHOD(control, Drain, DrainReply, DrainRequest)
DL_RPC_METHOD(bulk, Measure, MeasureReply, MeasureRequest)
DL_RPC_METHOD(control, CreateToken, CreateTokenReply, CreateTokenRequest)
DL_RPC_METHOD(control, ListTokens, ListTokensReply, ListTokensRequest)
DL_RPC_VOID_METHOD(control, RevokeToken, RevokeTokenRequest)
#undef DL_RPC_METHOD
#undef DL_RPC_VOID_METHOD

StatusOr<RegisterReply> Client::Register(const RegisterRequest& request, Duration deadline) {
  return impl_->Call<RegisterReply>(impl_->control, CutToLimits(request), deadline,
                                    &wire::MasterClient::Register);
}

Status Client::ReportFailure(const FailureReport& report, Duration deadline) {
  return impl_->CallVoid(impl_->control, CutToLimits(report), deadline,
                         &wire::MasterClient::ReportFailure);
}

StatusOr<MissingBlocksReply> Client::MissingBlocks(const MissingBlocksRequest& request,
                                                   Duration deadline) {
  const Instant end = Clock::Real().Now() + std::min<Duration>(deadline, limits::kMaxCallDeadline);
  MissingBlocksReply all;
  size_t from = 0;
  do {
    const size_t to = std::min<size_t>(request.sha256.size(), from + limits::kMaxListEntries);
    const MissingBlocksRequest piece{
        .sha256 = {request.sha256.begin() + from, request.sha256.begin() + to}};
    DL_ASSIGN_OR_RETURN(
        MissingBlocksReply reply,
        impl_->Call<MissingBlocksReply>(impl_->control, piece, end - Clock::Real().Now(),
                                        &wire::MasterClient::MissingBlocks));
    all.missing.insert(all.missing.end(), reply.missing.begin(), reply.missing.end());
    from = to;
  } while (from < request.sha256.size());
  return all;
}

}  // namespace dl::rpc
