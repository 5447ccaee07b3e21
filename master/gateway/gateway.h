// The master as seen by its peers: both services, called by the Thrift server and by local[N].
// Decisions are requested from the core through its shell, which releases answers when their
// records are durable. Answers to lease requests may leave earlier (MayLeaveAhead). Answers from
// the stores or the merge engine do not involve the core.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "master/core/master_core.h"
#include "master/gateway/actions.h"
#include "master/gateway/core_shell.h"
#include "master/gateway/effect_dispatcher.h"
#include "master/gateway/event_feed.h"
#include "master/gateway/log_lines.h"
#include "master/gateway/open_sessions.h"
#include "master/gateway/queries.h"
#include "master/gateway/retention.h"
#include "master/gateway/uploads.h"
#include "master/merge/merge_engine.h"
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
    storage::MetaStore* meta = nullptr;  // these three must outlive the gateway
    storage::BlobStore* blobs = nullptr;
    storage::CheckpointStore* checkpoints = nullptr;
    std::string data_dir = {};  // whose free space is reported; empty: none
    RetentionPolicy kept;
    // Called once, on the writer's thread, if the store failed. The process must end then, because
    // no later record becomes durable. Answers that wait for a record never leave: waiting and
    // later callers of the core get Unavailable.
    std::function<void(const Status&)> on_fatal;
  };
  // Starts the core and its threads.
  explicit Gateway(Options options);
  // Stops them. Outputs that the writer already has are written. Waiting callers get Unavailable.
  ~Gateway() override;

  int64_t waiting();  // callers that wait for an answer of the core
  // Number of times a caller was woken, including spurious wake-ups.
  int64_t wake_ups();

  // Asks running jobs for a last checkpoint and waits for them, at most `limit`. When they are
  // durable, also after `limit`, requests to the core return Unavailable.
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
  std::optional<rpc::SessionHolder> FindSession(uint64_t session) const override {
    return sessions_.Find(session);
  }

  // For executors in this process, which share vectors without a copy. See MergeEngine for these
  // functions.
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
  Status EndRead(const rpc::EndReadRequest& request, Duration deadline) override;
  StatusOr<rpc::DrainReply> Drain(const rpc::DrainRequest& request, Duration deadline) override;
  StatusOr<rpc::MeasureReply> Measure(const rpc::MeasureRequest& request,
                                      Duration deadline) override;

  // Returns whether the master answers a query within `limit`, or waits for its disk. If neither is
  // true, its core hangs, is overloaded, or has been shut down.
  bool Works(Duration limit);

 private:
  // Returns when the core has processed all events that this thread has posted. Returns the errors
  // of CoreShell::SendRequest.
  Status AwaitCore(Duration deadline);

  storage::MetaStore& meta_;
  storage::BlobStore& blobs_;
  storage::CheckpointStore& checkpoints_;
  LogLines log_;
  EventFeed feed_;
  OpenSessions sessions_;
  CoreShell core_;
  MergeEngine engine_;
  Uploads uploads_;
  Actions actions_;
  Queries queries_;
  Retention retention_;
  EffectDispatcher dispatcher_;
};

}  // namespace dl::master
