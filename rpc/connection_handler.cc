#include "rpc/connection_handler.h"

#include <thrift/transport/TTransportException.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/trace.h"
#include "base/utf8.h"
#include "rpc/convert.h"
#include "rpc/protocol_version.h"
#include "rpc/wire_protocol.h"

namespace dl::rpc {
namespace {

Status NotServed() {
  return VersionMismatch({.message = "this server does not offer that method"});
}

using apache::thrift::protocol::TProtocolException;
using apache::thrift::transport::TTransportException;

// What one connection's call has of the server's memory, from its first byte to the last of its
// answer.
class ConnectionMeter final : public MessageMeter {
 public:
  explicit ConnectionMeter(ServerState& state) : state_(state) {}

  void Greet() { greeted_ = true; }
  bool greeted() const { return greeted_; }

  void Begin(std::string_view method) override {
    limits_ = greeted_ ? LimitsOf(method) : MessageLimits{.bytes = limits::kMaxGreetingBytes};
    claimed_ = 0;
    allowed_ = std::min(limits::kFreeMessageBytes, limits_.bytes);
  }

  void Take(int16_t field, int64_t bytes) override {
    claimed_ += bytes;
    if (claimed_ > limits_.bytes || (field == limits_.field && bytes > limits_.field_bytes)) {
      throw TProtocolException(TProtocolException::SIZE_LIMIT, "more than such a message may hold");
    }
    if (claimed_ <= allowed_) return;
    if (request_.bytes() > 0) {
      throw TProtocolException(TProtocolException::SIZE_LIMIT, "large fields out of order");
    }
    allowed_ = limits_.whole ? limits_.bytes
                             : std::min(limits_.bytes, claimed_ + limits::kFreeMessageBytes);
    // The peer waits meanwhile: nothing is read from it.
    auto taken = state_.budgets.Of(limits_.share)
                     .Take(allowed_, Clock::Real().Now() + limits::kMessageDeadline);
    if (!taken.ok()) throw TTransportException(TTransportException::TIMED_OUT);
    request_ = *std::move(taken);
  }

  Status TakeForAnswer(const AnswerLimits& answer, Instant deadline) {
    if (answer.bytes == 0) return absl::OkStatus();
    DL_ASSIGN_OR_RETURN(answer_, state_.budgets.Of(answer.share).Take(answer.bytes, deadline));
    return absl::OkStatus();
  }
  void AnswerHas(int64_t bytes) { answer_.ShrinkTo(bytes); }

  void End() {
    request_.ShrinkTo(0);
    answer_.ShrinkTo(0);
  }

 private:
  ServerState& state_;
  bool greeted_ = false;
  MessageLimits limits_;
  int64_t claimed_ = 0;
  int64_t allowed_ = 0;
  MemoryBudget::Charge request_, answer_;
};

class Handler : public wire::MasterIf {
 public:
  explicit Handler(ServerState* state)
      : state_(*state), meter_(*state), number_(++state_.connections) {}
  ~Handler() override {
    --state_.connections;
    SetSession(0);
  }

  ConnectionMeter& meter() { return meter_; }

  void Hello(wire::HelloReply& reply, const wire::HelloRequest& request) override {
    RequireText("Hello.version", request.version);
    RequireText("Hello.role", request.role);
    if (number_ > state_.max_connections) {
      ++state_.refused;
      throw ErrorToWire(
          Unavailable({.message = absl::StrCat("the master has ", state_.max_connections,
                                               " connections, which is its limit"),
                       .remedy = "Try again later. Fewer executors, or a master that may open more "
                                 "files (ulimit -n), let everybody in."}));
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
    meter_.Greet();
    reply.protocol = kProtocolVersion;
    reply.version = state_.version;
  }

#define DL_RPC_METHOD(service, Name, Reply, Request)                                             \
  void Name(wire::Reply& reply, const wire::Request& request, const int64_t deadline_ms)         \
      override {                                                                                 \
    Answer(                                                                                      \
        state_.service, #Name, reply, Take<Request>(#Name, request), Left(deadline_ms),          \
        [](auto& to, const Request& message, Duration left) { return to.Name(message, left); }); \
  }
#define DL_RPC_VOID_METHOD(service, Name, Request)                                              \
  void Name(const wire::Request& request, const int64_t deadline_ms) override {                 \
    AnswerVoid(                                                                                 \
        state_.service, Take<Request>(#Name, request),                                          \
        [&](auto& to, const Request& message) { return to.Name(message, Left(deadline_ms)); }); \
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
#undef DL_RPC_METHOD
#undef DL_RPC_VOID_METHOD

  void Heartbeat(wire::HeartbeatReply& reply, const wire::HeartbeatRequest& request,
                 const int64_t deadline_ms) override {
    const auto session = static_cast<uint64_t>(request.session);
    Answer(state_.executors, "Heartbeat", reply, Take<HeartbeatRequest>("Heartbeat", request),
           Left(deadline_ms), [](auto& to, const HeartbeatRequest& message, Duration left) {
             return to.Heartbeat(message, left);
           });
    // Only a session that the service knows can be lost.
    SetSession(session);
  }

  // One method for both services: clients have no session.
  void FetchBlock(wire::Chunk& reply, const wire::FetchRequest& request,
                  const int64_t deadline_ms) override {
    const auto fetch = [](auto& to, const FetchRequest& message, Duration left) {
      return to.FetchBlock(message, left);
    };
    const Duration left = Left(deadline_ms);
    if (request.session == 0) {
      Answer(state_.clients, "FetchBlock", reply, Take<FetchRequest>("FetchBlock", request), left,
             fetch);
    } else {
      Answer(state_.executors, "FetchBlock", reply, Take<FetchRequest>("FetchBlock", request), left,
             fetch);
    }
  }

 private:
  static Duration Left(int64_t deadline_ms) {
    return std::chrono::milliseconds(
        std::clamp<int64_t>(deadline_ms, 0, limits::kMaxCallDeadline.count()));
  }

  // The generated processor owns the arguments, does not look at them again, and declares them
  // const only in this signature: a chunk's 4 MiB need no copy.
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

  // Hello is no message of rpc/messages.h; what is refused there ends the connection.
  static void RequireText(std::string_view where, const std::string& text) {
    if (static_cast<int64_t>(text.size()) <= limits::kMaxShortText && IsUtf8(text)) return;
    throw ErrorToWire(InvalidArgument(
        {.message = "a greeting holds what is no short UTF-8 text", .where = std::string(where)}));
  }

  template <typename Service, typename Reply, typename Request, typename Method>
  void Answer(Service* service, std::string_view name, Reply& reply,
              const StatusOr<Request>& request, Duration left, Method method) {
    const Span span(spans::kServe);
    if (!request.ok()) throw ErrorToWire(request.status());
    if (service == nullptr) throw ErrorToWire(NotServed());
    // Waiting for room is a part of the call's time.
    const Instant end = Clock::Real().Now() + left;
    if (Status room = meter_.TakeForAnswer(AnswerTo(name, *request), end); !room.ok())
      throw ErrorToWire(room);
    auto result = method(*service, *request, end - Clock::Real().Now());
    if (!result.ok()) throw ErrorToWire(result.status());
    meter_.AnswerHas(BytesOf(*result));
    auto wire = ToWire(*std::move(result));
    if (!wire.ok()) throw ErrorToWire(wire.status());
    reply = *std::move(wire);
  }

  template <typename Service, typename Request, typename Method>
  static void AnswerVoid(Service* service, const StatusOr<Request>& request, Method method) {
    if (!request.ok()) throw ErrorToWire(request.status());
    if (service == nullptr) throw ErrorToWire(NotServed());
    if (Status status = method(*service, *request); !status.ok()) throw ErrorToWire(status);
  }

  // The session whose heartbeats this connection carries; 0 for none.
  void SetSession(uint64_t session) {
    if (session == session_) return;
    if (session != 0) state_.heartbeats.Add(session);
    if (session_ != 0 && state_.heartbeats.Remove(session_))
      state_.executors->ConnectionLost(session_);
    session_ = session;
  }

  ServerState& state_;
  ConnectionMeter meter_;
  uint64_t session_ = 0;
  const int64_t number_;
};

class ConnectionProcessor : public wire::MasterProcessor {
 public:
  explicit ConnectionProcessor(std::shared_ptr<Handler> handler)
      : wire::MasterProcessor(handler), handler_(std::move(handler)) {}

  // Thrift's server goes on reading after some exceptions, at a place in the stream that nobody
  // knows.
  bool process(std::shared_ptr<apache::thrift::protocol::TProtocol> in,
               std::shared_ptr<apache::thrift::protocol::TProtocol> out, void* context) override {
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
  bool dispatchCall(apache::thrift::protocol::TProtocol* in,
                    apache::thrift::protocol::TProtocol* out, const std::string& method,
                    int32_t seqid, void* context) override {
    const bool hello = method == "Hello";
    if (hello == handler_->meter().greeted()) return false;
    return wire::MasterProcessor::dispatchCall(in, out, method, seqid, context) &&
           handler_->meter().greeted();
  }

 private:
  const std::shared_ptr<Handler> handler_;  // shared with the generated base, which wants it so
};

}  // namespace

void HeartbeatConnections::Add(uint64_t session) {
  MutexLock lock(mutex_);
  ++count_[session];
}

bool HeartbeatConnections::Remove(uint64_t session) {
  MutexLock lock(mutex_);
  auto entry = count_.find(session);
  if (entry == count_.end() || --entry->second > 0) return false;
  count_.erase(entry);
  return true;
}

std::shared_ptr<apache::thrift::TProcessor> MakeConnectionProcessor(ServerState* state) {
  return std::make_shared<ConnectionProcessor>(std::make_shared<Handler>(state));
}

}  // namespace dl::rpc
