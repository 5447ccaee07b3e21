// A fake master that implements all services. A method stores its request as the last one and
// returns the sample of its reply, or `error`. A callback lets a test block a call or change its
// reply. A method with a callback neither stores its request nor returns `error`, except
// LeaseUnits, which does both.
#pragma once

#include <any>
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "rpc/service.h"
#include "tests/support/gate.h"
#include "tests/unit/rpc/sample_messages.h"

namespace dl::rpc {

class FakeMaster : public ExecutorService, public ClientService, public AdminService {
 public:
  // The following members must be set before the server starts.
  Status error;  // returned by methods without a callback and by LeaseUnits; OK: they succeed
  std::function<std::string(const QueryRequest&)> on_query;
  std::function<void(const LeaseRequest&)> on_lease;
  std::function<void(const ContributionChunk&)> on_contribute;
  std::function<Chunk(const FetchRequest&)> on_fetch_part;
  std::function<void(const PutBlocksRequest&)> on_put_blocks;
  bool numbers_sessions = false;  // sessions are 1, 2, ... instead of the session of the samples

#define DL_FAKE(Name, Reply, Request)                                        \
  StatusOr<Reply> Name(const Request& request, Duration deadline) override { \
    DL_RETURN_IF_ERROR(Note(#Name, request, deadline));                      \
    return Sample<Reply>();                                                  \
  }
#define DL_FAKE_VOID(Name, Request)                                 \
  Status Name(const Request& request, Duration deadline) override { \
    return Note(#Name, request, deadline);                          \
  }
  DL_FAKE(Heartbeat, HeartbeatReply, HeartbeatRequest)
  DL_FAKE(Announce, AnnounceReply, AnnounceRequest)
  DL_FAKE_VOID(ReportFailure, FailureReport)
  DL_FAKE(FetchJob, FetchJobReply, FetchJobRequest)
  DL_FAKE(FetchBlock, Chunk, FetchRequest)
  DL_FAKE_VOID(OfferPart, OfferChunk)
  DL_FAKE(MissingBlocks, MissingBlocksReply, MissingBlocksRequest)
  DL_FAKE(Submit, SubmitReply, SubmitRequest)
  DL_FAKE(Act, JobActionReply, JobActionRequest)
  DL_FAKE(Events, EventsReply, EventsRequest)
  DL_FAKE(FetchCheckpoint, Chunk, FetchRequest)
  DL_FAKE_VOID(EndRead, EndReadRequest)
  DL_FAKE(Drain, DrainReply, DrainRequest)
  DL_FAKE(Measure, MeasureReply, MeasureRequest)
  DL_FAKE(CreateToken, CreateTokenReply, CreateTokenRequest)
  DL_FAKE(ListTokens, ListTokensReply, ListTokensRequest)
  DL_FAKE_VOID(RevokeToken, RevokeTokenRequest)
#undef DL_FAKE
#undef DL_FAKE_VOID

  StatusOr<RegisterReply> Register(const RegisterRequest& request, Duration deadline) override {
    DL_RETURN_IF_ERROR(Note("Register", request, deadline));
    RegisterReply reply = Sample<RegisterReply>();
    if (numbers_sessions) reply.session = ++sessions_;
    MutexLock lock(mutex_);
    holders_[reply.session] = {request.holder, request.executor};
    return reply;
  }
  Status Goodbye(const GoodbyeRequest& request, Duration deadline) override {
    DL_RETURN_IF_ERROR(Note("Goodbye", request, deadline));
    MutexLock lock(mutex_);
    holders_.erase(request.session);
    return absl::OkStatus();
  }
  std::optional<SessionHolder> FindSession(uint64_t session) const override {
    MutexLock lock(mutex_);
    const auto found = holders_.find(session);
    return found == holders_.end() ? std::nullopt : std::optional(found->second);
  }
  StatusOr<LeaseReply> LeaseUnits(const LeaseRequest& request, Duration deadline) override {
    if (on_lease) on_lease(request);
    DL_RETURN_IF_ERROR(Note("LeaseUnits", request, deadline));
    return Sample<LeaseReply>();
  }
  StatusOr<ContributionReply> Contribute(const ContributionChunk& chunk,
                                         Duration deadline) override {
    if (on_contribute) {
      on_contribute(chunk);
      return Sample<ContributionReply>();
    }
    DL_RETURN_IF_ERROR(Note("Contribute", chunk, deadline));
    return Sample<ContributionReply>();
  }
  Status PutBlocks(const PutBlocksRequest& request, Duration deadline) override {
    if (!on_put_blocks) return Note("PutBlocks", request, deadline);
    on_put_blocks(request);
    return absl::OkStatus();
  }
  StatusOr<Chunk> FetchPart(const FetchRequest& request, Duration deadline) override {
    if (on_fetch_part) return on_fetch_part(request);
    DL_RETURN_IF_ERROR(Note("FetchPart", request, deadline));
    return Sample<Chunk>();
  }
  StatusOr<QueryReply> Query(const QueryRequest& request, Duration deadline) override {
    if (on_query) return QueryReply{.json = on_query(request)};
    DL_RETURN_IF_ERROR(Note("Query", request, deadline));
    return Sample<QueryReply>();
  }
  void ConnectionLost(uint64_t session) override {
    MutexLock lock(mutex_);
    lost_.push_back(session);
    changed_.NotifyAll();
  }

  void Forget() {
    MutexLock lock(mutex_);
    method_.clear();
    request_.reset();
  }
  // The last call: its method, its request and the deadline that the server received.
  std::string method() {
    MutexLock lock(mutex_);
    return method_;
  }
  template <typename Request>
  Request request() {
    MutexLock lock(mutex_);
    const Request* request = std::any_cast<Request>(&request_);
    return request == nullptr ? Request{} : *request;
  }
  Duration deadline() {
    MutexLock lock(mutex_);
    return deadline_;
  }
  size_t lost_count() {
    MutexLock lock(mutex_);
    return lost_.size();
  }
  std::vector<uint64_t> WaitForLost(size_t count) {
    MutexLock lock(mutex_);
    while (lost_.size() < count) changed_.Wait(mutex_);
    return lost_;
  }

 private:
  template <typename Request>
  Status Note(const char* method, const Request& request, Duration deadline) {
    MutexLock lock(mutex_);
    method_ = method;
    request_ = request;
    deadline_ = deadline;
    return error;
  }

  mutable Mutex mutex_;
  CondVar changed_;
  std::atomic<uint64_t> sessions_ = 0;
  std::string method_;
  std::any request_;
  Duration deadline_{0};
  std::vector<uint64_t> lost_;
  std::map<uint64_t, SessionHolder> holders_;
};

// A gate that opens once. Tests use gates to block a call in the server.
using test::Gate;

}  // namespace dl::rpc
