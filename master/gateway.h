// The master as its peers see it: requests become events of the core, the core's batch becomes
// durable, and only then its effects and answers leave; leases alone go ahead. The core goes on
// while a batch is written. Implements both services; the Thrift server and local[N] call it alike.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "base/worker_thread.h"
#include "master/core/core.h"
#include "master/event_feed.h"
#include "master/history.h"
#include "master/job_definition.h"
#include "master/merge/merge_engine.h"
#include "master/step_times.h"
#include "rpc/service.h"
#include "storage/blob_store.h"
#include "storage/checkpoint_store.h"
#include "storage/meta_store.h"

namespace dl::master {

// Thread-safe.
class Gateway final : public rpc::ExecutorService, public rpc::ClientService {
 public:
  struct Options {
    CoreOptions core;
    RecoveredState recovered;
    storage::MetaStore* meta = nullptr;  // these three outlive the gateway
    storage::BlobStore* blobs = nullptr;
    storage::CheckpointStore* checkpoints = nullptr;
    int64_t keep_jobs = 0;  // that ended; 0: all
    // Called once, from the writer's thread, when the store failed: nothing that follows would be
    // durable, so the process must end. No answer leaves after it.
    std::function<void(const Status&)> on_fatal;
  };
  explicit Gateway(Options options);
  ~Gateway() override;

  int64_t waiting();  // callers that wait for an answer of the core
  // How often one of them was woken, spuriously too.
  int64_t wake_ups();

  // Asks running jobs for a last checkpoint and waits for them, at most `limit`. Later requests are
  // Unavailable.
  void Shutdown(Duration limit);

  StatusOr<rpc::RegisterReply> Register(const rpc::RegisterRequest& request,
                                        Duration deadline) override;
  StatusOr<rpc::HeartbeatReply> Heartbeat(const rpc::HeartbeatRequest& request,
                                          Duration deadline) override;
  Status Goodbye(const rpc::GoodbyeRequest& request, Duration deadline) override;
  StatusOr<rpc::LeaseReply> LeaseUnits(const rpc::LeaseRequest& request,
                                       Duration deadline) override;
  StatusOr<rpc::AnnounceReply> Announce(const rpc::AnnounceRequest& request,
                                        Duration deadline) override;
  Status ReportFailure(const rpc::FailureReport& request, Duration deadline) override;
  StatusOr<rpc::FetchJobReply> FetchJob(const rpc::FetchJobRequest& request,
                                        Duration deadline) override;
  StatusOr<rpc::Chunk> FetchPart(const rpc::FetchRequest& request, Duration deadline) override;
  StatusOr<rpc::Chunk> FetchBlock(const rpc::FetchRequest& request, Duration deadline) override;
  StatusOr<rpc::ContributionReply> Contribute(const rpc::ContributionChunk& chunk,
                                              Duration deadline) override;
  Status OfferPart(const rpc::OfferChunk& chunk, Duration deadline) override;
  void ConnectionLost(uint64_t session) override;

  // For executors in this process: states change hands without being copied.
  SharedVector FindPart(const std::string& job, const std::string& sha256);
  StatusOr<rpc::ContributionReply> Contribute(uint64_t session, const UnitId& unit, uint64_t hash,
                                              SharedVector vector);

  StatusOr<rpc::MissingBlocksReply> MissingBlocks(const rpc::MissingBlocksRequest& request,
                                                  Duration deadline) override;
  Status PutBlocks(const rpc::PutBlocksRequest& request, Duration deadline) override;
  StatusOr<rpc::SubmitReply> Submit(const rpc::SubmitRequest& request, Duration deadline) override;
  StatusOr<rpc::JobActionReply> Act(const rpc::JobActionRequest& request,
                                    Duration deadline) override;
  StatusOr<rpc::QueryReply> Query(const rpc::QueryRequest& request, Duration deadline) override;
  StatusOr<rpc::EventsReply> Events(const rpc::EventsRequest& request, Duration deadline) override;
  StatusOr<rpc::Chunk> FetchCheckpoint(const rpc::FetchRequest& request,
                                       Duration deadline) override;

 private:
  struct Waiter {
    CondVar woken;  // its own: an answer concerns nobody else
    bool done = false;
    Status status;
    Reply reply;
  };
  struct Arrival {
    Instant at;  // Moment::came
    Event event;
  };
  // What was stepped since the last batch was taken: the next one, and what leaves behind it.
  struct Unwritten {
    storage::MetaBatch batch;
    std::vector<Effect> effects;
    bool published_ahead = false;
    bool ready_to_stop = false;

    bool empty() const { return batch.empty() && effects.empty() && !ready_to_stop; }
  };

  // Puts the event into the queue and waits for the core's answer.
  StatusOr<Reply> Ask(uint64_t token, Event event, Duration deadline);
  template <typename ReplyType, typename Request>
  StatusOr<ReplyType> AskFor(Request request, Duration deadline);
  void Post(Event event);
  void Enqueue(Event event) DL_REQUIRES(mutex_);
  void RunCore(Instant began);
  // The events that came since the last call; waits for one, at most until `due`. None when the
  // gateway stops.
  std::optional<std::deque<Arrival>> TakeEvents(Instant due);
  // Bytes that the next batch may still take; waits until there are any. None when the gateway
  // stops.
  std::optional<uint64_t> WaitForRoom();
  // One step of the core, timed.
  void Step(Core& core, const Arrival& arrival, Output& output);
  // What may leave does; the rest becomes part of the next batch.
  void HandOver(Output& output, bool ready_to_stop);
  void RunWriter();
  // False: the batch is not durable, and nothing is any more.
  bool Persist(const storage::MetaBatch& batch);
  void Release(std::vector<Effect>& effects);
  void NoteReadyToStop();
  void Deliver(Answer& answer);
  // No answer leaves any more.
  void WakeEverybody() DL_REQUIRES(mutex_);
  void WriteLog(std::string line);
  void Do(const SurveyLog& effect);
  void Do(const ReadCommits& effect);
  // Gives back what deleted jobs used. REQUIRES: the turn of an action.
  Status Collect();
  // Deletes the oldest jobs that ended, as far as there are more than are kept.
  void Retain();
  // Records of the round log from request.first on, at least one if there is one.
  StatusOr<rpc::QueryReply> LogPage(const rpc::QueryRequest& request);
  // Jobs from the request.first-th submission on, as many as fit.
  StatusOr<rpc::QueryReply> JobsPage(const rpc::QueryRequest& request, Duration deadline);
  // REQUIRES: the turn of an action. Asks the core something that names a job, with what the store
  // knows of it if it ended.
  template <typename ReplyType, typename Request>
  StatusOr<ReplyType> AskOfJob(Request request, const std::string& job,
                               std::shared_ptr<const RecoveredJob> Request::*ended, Instant end);
  StatusOr<std::string> Document(const std::string& key, std::string_view what);

  Options options_;
  EventFeed feed_;
  std::unique_ptr<MergeEngine> engine_;

  MemoryBudget validating_{1};  // the turn of one submission
  // The turn of one action or submission: what it read of a job that ended, and which blocks are
  // there, does not change meanwhile.
  MemoryBudget acting_{1};
  History history_;
  std::atomic<uint64_t> next_token_{1};
  Mutex mutex_;
  CondVar wake_core_;
  CondVar wake_writer_;
  CondVar stopping_;
  int64_t wake_ups_ DL_GUARDED_BY(mutex_) = 0;
  StepTimes step_times_;
  Unwritten unwritten_ DL_GUARDED_BY(mutex_);
  // A batch is being written, or what waited for it is leaving.
  bool writing_ DL_GUARDED_BY(mutex_) = false;
  std::deque<Arrival> queue_ DL_GUARDED_BY(mutex_);  // ascending by time
  // Shared with the caller that waits.
  std::map<uint64_t, std::shared_ptr<Waiter>> waiters_ DL_GUARDED_BY(mutex_);
  bool stop_ DL_GUARDED_BY(mutex_) = false;
  bool dead_ DL_GUARDED_BY(mutex_) = false;
  bool ready_to_stop_ DL_GUARDED_BY(mutex_) = false;
  bool shut_down_ DL_GUARDED_BY(mutex_) = false;

  WorkerThread log_;         // a full pipe must not hold up the core
  WorkerThread round_logs_;  // reads them
  WorkerThread collection_;  // of what deleted jobs left
  Thread writer_thread_;
  Thread core_thread_;
};

template <typename ReplyType, typename Request>
StatusOr<ReplyType> Gateway::AskFor(Request request, Duration deadline) {
  const uint64_t token = next_token_++;
  DL_ASSIGN_OR_RETURN(Reply reply, Ask(token, Asked<Request>{token, std::move(request)}, deadline));
  if constexpr (std::is_same_v<ReplyType, std::monostate>) {
    return std::monostate{};
  } else {
    ReplyType* typed = std::get_if<ReplyType>(&reply);
    if (typed == nullptr) return Internal({.message = "the core gave an answer of another kind"});
    return std::move(*typed);
  }
}

}  // namespace dl::master
