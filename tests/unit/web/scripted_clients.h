// A master for tests of pages and routes: it answers with fixed documents and records actions.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "rpc/messages.h"
#include "rpc/service.h"

namespace dl::web {

class ScriptedClients : public rpc::ClientService {
 public:
  // Sets the document that a query of this kind returns. Other queries return NotFound.
  void Set(rpc::QueryKind what, std::string json) {
    MutexLock lock(mutex_);
    documents_[what] = std::move(json);
  }
  // Adds an event, with the next number, or the result of the job if `terminal`.
  void AddEvent(std::string json, bool terminal = false) {
    MutexLock lock(mutex_);
    if (terminal) {
      result_ = std::move(json);
    } else {
      events_.push_back(std::move(json));
    }
    changed_.NotifyAll();
  }
  std::vector<rpc::JobActionRequest> actions() const {
    MutexLock lock(mutex_);
    return actions_;
  }
  std::vector<rpc::QueryRequest> queries() const {
    MutexLock lock(mutex_);
    return queries_;
  }
  // Later answers have at most this many events.
  void LimitAnswers(int64_t events) {
    MutexLock lock(mutex_);
    max_events_ = events;
  }
  // Waits until Events was called.
  void WaitForEventCall() {
    MutexLock lock(mutex_);
    while (event_calls_ == 0) changed_.Wait(mutex_);
  }
  int event_calls() const {
    MutexLock lock(mutex_);
    return event_calls_;
  }
  std::vector<rpc::SubmitRequest> submissions() const {
    MutexLock lock(mutex_);
    return submissions_;
  }
  std::map<std::string, std::string> blocks() const {
    MutexLock lock(mutex_);
    return blocks_;
  }
  void RefuseQueries(Status why) {
    MutexLock lock(mutex_);
    query_refusal_ = std::move(why);
  }
  void RefuseActions(Status why) {
    MutexLock lock(mutex_);
    refusal_ = std::move(why);
  }

  StatusOr<rpc::QueryReply> Query(const rpc::QueryRequest& request, Duration) override {
    MutexLock lock(mutex_);
    queries_.push_back(request);
    DL_RETURN_IF_ERROR(query_refusal_);
    const auto found = documents_.find(request.what);
    if (found == documents_.end())
      return NotFound({.message = "there is no such document", .where = request.job});
    return rpc::QueryReply{.json = found->second};
  }
  StatusOr<rpc::EventsReply> Events(const rpc::EventsRequest& request, Duration) override {
    MutexLock lock(mutex_);
    ++event_calls_;
    changed_.NotifyAll();
    const Instant end = Clock::Real().Now() + std::chrono::milliseconds(request.wait_ms);
    while (static_cast<int64_t>(events_.size()) <= request.after && result_.empty()) {
      const Duration left = end - Clock::Real().Now();
      if (left <= Duration::zero()) break;
      changed_.WaitFor(mutex_, left);
    }
    rpc::EventsReply reply{.last = request.after};
    const int64_t end_of_answer =
        std::min(static_cast<int64_t>(events_.size()), request.after + max_events_);
    for (; reply.last < end_of_answer; ++reply.last)
      reply.events.push_back(events_[static_cast<size_t>(reply.last)]);
    if (!result_.empty() && reply.last >= static_cast<int64_t>(events_.size())) {
      reply.events.push_back(result_);
      reply.terminal = true;
    }
    return reply;
  }
  StatusOr<rpc::JobActionReply> Act(const rpc::JobActionRequest& request, Duration) override {
    MutexLock lock(mutex_);
    DL_RETURN_IF_ERROR(refusal_);
    actions_.push_back(request);
    return rpc::JobActionReply{.message = "done"};
  }
  // Lacks all blocks that were not put.
  StatusOr<rpc::MissingBlocksReply> MissingBlocks(const rpc::MissingBlocksRequest& request,
                                                  Duration) override {
    MutexLock lock(mutex_);
    rpc::MissingBlocksReply reply;
    for (const std::string& name : request.sha256) {
      if (!blocks_.contains(name)) reply.missing.push_back(name);
    }
    return reply;
  }
  Status PutBlocks(const rpc::PutBlocksRequest& request, Duration) override {
    MutexLock lock(mutex_);
    DL_RETURN_IF_ERROR(refusal_);
    for (size_t i = 0; i < request.sha256.size(); ++i) blocks_[request.sha256[i]] = request.bytes;
    return absl::OkStatus();
  }
  StatusOr<rpc::Chunk> FetchBlock(const rpc::FetchRequest&, Duration) override { return no_; }
  StatusOr<rpc::SubmitReply> Submit(const rpc::SubmitRequest& request, Duration) override {
    MutexLock lock(mutex_);
    submissions_.push_back(request);
    return rpc::SubmitReply{.job = "mlp-2"};
  }
  StatusOr<rpc::Chunk> FetchCheckpoint(const rpc::FetchRequest&, Duration) override { return no_; }
  Status EndRead(const rpc::EndReadRequest&, Duration) override { return no_; }
  StatusOr<rpc::DrainReply> Drain(const rpc::DrainRequest&, Duration) override { return no_; }
  StatusOr<rpc::MeasureReply> Measure(const rpc::MeasureRequest&, Duration) override { return no_; }

 private:
  const Status no_ = absl::UnimplementedError("");
  mutable Mutex mutex_;
  CondVar changed_;
  Status refusal_ DL_GUARDED_BY(mutex_), query_refusal_ DL_GUARDED_BY(mutex_);
  std::map<rpc::QueryKind, std::string> documents_ DL_GUARDED_BY(mutex_);
  std::vector<rpc::QueryRequest> queries_ DL_GUARDED_BY(mutex_);
  std::vector<std::string> events_ DL_GUARDED_BY(mutex_);
  std::string result_ DL_GUARDED_BY(mutex_);
  int64_t max_events_ DL_GUARDED_BY(mutex_) = 1'000'000;
  int event_calls_ DL_GUARDED_BY(mutex_) = 0;
  std::vector<rpc::JobActionRequest> actions_ DL_GUARDED_BY(mutex_);
  std::vector<rpc::SubmitRequest> submissions_ DL_GUARDED_BY(mutex_);
  std::map<std::string, std::string> blocks_ DL_GUARDED_BY(mutex_);  // of uploads of one block
};

}  // namespace dl::web
