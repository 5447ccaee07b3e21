// The master as seen by its peers. master/gateway implements it. local[N] calls it in-process, all
// other peers call it through Thrift. Every method blocks for at most `deadline`, may be repeated
// with the same arguments after any error, and is thread-safe.
//
// Errors of every method: Unavailable (not connected, or the master is starting or stopping: try
// again), DeadlineExceeded, Aborted (the session or term is over: register again), InvalidArgument
// (the message is wrong: a bug or a version mismatch), ResourceExhausted (over a limit). The server
// checks who may call which method (rpc/access.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "rpc/messages_fwd.h"

namespace dl::rpc {

// The process that opened a session.
struct SessionHolder {
  std::string holder;    // as in RegisterRequest
  std::string executor;  // name of the executor
};

class ExecutorService {
 public:
  virtual ~ExecutorService() = default;
  // ---- control: small messages, answered by the core ----

  // Opens a session. A higher incarnation of the executor's name ends its earlier session. Returns
  // ResourceExhausted at the limit of sessions.
  virtual StatusOr<RegisterReply> Register(const RegisterRequest& request, Duration deadline) = 0;
  // Extends the leases of the units in `running`, and returns what the master asks of the executor.
  virtual StatusOr<HeartbeatReply> Heartbeat(const HeartbeatRequest& request,
                                             Duration deadline) = 0;
  // Ends the session. Its units are leased again.
  virtual Status Goodbye(const GoodbyeRequest& request, Duration deadline) = 0;
  // Leases up to `free_slots` units. Waits up to `wait_ms` for work.
  virtual StatusOr<LeaseReply> LeaseUnits(const LeaseRequest& request, Duration deadline) = 0;
  // Checks the description of a result and decides whether its bytes are wanted, and when.
  virtual StatusOr<AnnounceReply> Announce(const AnnounceRequest& request, Duration deadline) = 0;
  // Ends a lease whose unit failed.
  virtual Status ReportFailure(const FailureReport& request, Duration deadline) = 0;
  // Returns the documents of a job. Returns NotFound unless the session was leased units of the
  // job, or is asked for its results.
  virtual StatusOr<FetchJobReply> FetchJob(const FetchJobRequest& request, Duration deadline) = 0;
  // ---- bulk: one chunk per call; NotFound if the master does not have the content ----

  virtual StatusOr<Chunk> FetchPart(const FetchRequest& request, Duration deadline) = 0;
  virtual StatusOr<Chunk> FetchBlock(const FetchRequest& request, Duration deadline) = 0;
  // Receives a chunk of an accepted contribution or of a gather. Returns DataLoss or
  // InvalidArgument if the bytes are not what was announced.
  virtual StatusOr<ContributionReply> Contribute(const ContributionChunk& chunk,
                                                 Duration deadline) = 0;
  // Receives a chunk of a part that a restarted master lacks. Returns DataLoss if a piece does not
  // match its hash.
  virtual Status OfferPart(const OfferChunk& chunk, Duration deadline) = 0;
  // Called by the server, not by a peer: the connection that carried this session's heartbeats is
  // closed. It is a hint that makes the loss of a killed process visible at once. A new heartbeat
  // revokes it.
  virtual void ConnectionLost(uint64_t session) = 0;
  // Called by the server, not by a peer, before each call that names a session. Returns nullopt if
  // the session has ended or never existed.
  virtual std::optional<SessionHolder> FindSession(uint64_t) const { return std::nullopt; }
};

class ClientService {
 public:
  virtual ~ClientService() = default;
  // Returns which of the blocks the master does not have.
  virtual StatusOr<MissingBlocksReply> MissingBlocks(const MissingBlocksRequest& request,
                                                     Duration deadline) = 0;
  // Stores all of the blocks or none.
  virtual Status PutBlocks(const PutBlocksRequest& request, Duration deadline) = 0;
  virtual StatusOr<Chunk> FetchBlock(const FetchRequest& request, Duration deadline) = 0;
  // Submits a job. The same `request_id` always returns the same job.
  virtual StatusOr<SubmitReply> Submit(const SubmitRequest& request, Duration deadline) = 0;
  // Performs an action on a job.
  virtual StatusOr<JobActionReply> Act(const JobActionRequest& request, Duration deadline) = 0;
  // Returns a JSON document.
  virtual StatusOr<QueryReply> Query(const QueryRequest& request, Duration deadline) = 0;
  // Returns the events of a job after a sequence number. Waits up to `wait_ms` for one.
  virtual StatusOr<EventsReply> Events(const EventsRequest& request, Duration deadline) = 0;
  // Returns one chunk of a part of a checkpoint. `sha256` is "JOB@ROUND/PART", where PART is a
  // part's key: model, updater-3.
  virtual StatusOr<Chunk> FetchCheckpoint(const FetchRequest& request, Duration deadline) = 0;
  // Makes an executor, or all executors of a host, finish their units and leave. Returns NotFound
  // if no executor has this name and no executor is on this host.
  virtual StatusOr<DrainReply> Drain(const DrainRequest& request, Duration deadline) = 0;
  // Receives `bytes` and returns `reply_bytes` bytes, each at most one chunk.
  virtual StatusOr<MeasureReply> Measure(const MeasureRequest& request, Duration deadline) = 0;
};

// Management of tokens, for admins only.
class AdminService {
 public:
  virtual ~AdminService() = default;
  // Creates a token. Its secret is returned only here.
  virtual StatusOr<CreateTokenReply> CreateToken(const CreateTokenRequest& request,
                                                 Duration deadline) = 0;
  // Lists all tokens, without secrets.
  virtual StatusOr<ListTokensReply> ListTokens(const ListTokensRequest& request,
                                               Duration deadline) = 0;
  // When it returns, all connections of the token's holder are closed.
  virtual Status RevokeToken(const RevokeTokenRequest& request, Duration deadline) = 0;
};

}  // namespace dl::rpc
