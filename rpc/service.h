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
  // Control: small messages, answered by the core.
  virtual StatusOr<RegisterReply> Register(const RegisterRequest& request, Duration deadline) = 0;
  virtual StatusOr<HeartbeatReply> Heartbeat(const HeartbeatRequest& request,
                                             Duration deadline) = 0;
  virtual Status Goodbye(const GoodbyeRequest& request, Duration deadline) = 0;
  virtual StatusOr<LeaseReply> LeaseUnits(const LeaseRequest& request, Duration deadline) = 0;
  virtual StatusOr<AnnounceReply> Announce(const AnnounceRequest& request, Duration deadline) = 0;
  virtual Status ReportFailure(const FailureReport& request, Duration deadline) = 0;
  virtual StatusOr<FetchJobReply> FetchJob(const FetchJobRequest& request, Duration deadline) = 0;
  // Bulk: one chunk per call. Return NotFound if the master does not have the content.
  virtual StatusOr<Chunk> FetchPart(const FetchRequest& request, Duration deadline) = 0;
  virtual StatusOr<Chunk> FetchBlock(const FetchRequest& request, Duration deadline) = 0;
  virtual StatusOr<ContributionReply> Contribute(const ContributionChunk& chunk,
                                                 Duration deadline) = 0;
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
  virtual StatusOr<MissingBlocksReply> MissingBlocks(const MissingBlocksRequest& request,
                                                     Duration deadline) = 0;
  virtual Status PutBlocks(const PutBlocksRequest& request, Duration deadline) = 0;
  virtual StatusOr<Chunk> FetchBlock(const FetchRequest& request, Duration deadline) = 0;
  virtual StatusOr<SubmitReply> Submit(const SubmitRequest& request, Duration deadline) = 0;
  virtual StatusOr<JobActionReply> Act(const JobActionRequest& request, Duration deadline) = 0;
  virtual StatusOr<QueryReply> Query(const QueryRequest& request, Duration deadline) = 0;
  virtual StatusOr<EventsReply> Events(const EventsRequest& request, Duration deadline) = 0;
  // Returns one chunk of a part of a checkpoint. `sha256` is "JOB@ROUND/PART", where PART is a
  // part's key: model, updater-3.
  virtual StatusOr<Chunk> FetchCheckpoint(const FetchRequest& request, Duration deadline) = 0;
  // Returns NotFound if no executor has this name and no executor is on this host.
  virtual StatusOr<DrainReply> Drain(const DrainRequest& request, Duration deadline) = 0;
  // Sends and receives at most one chunk.
  virtual StatusOr<MeasureReply> Measure(const MeasureRequest& request, Duration deadline) = 0;
};

// Management of tokens, for admins only.
class AdminService {
 public:
  virtual ~AdminService() = default;
  virtual StatusOr<CreateTokenReply> CreateToken(const CreateTokenRequest& request,
                                                 Duration deadline) = 0;
  virtual StatusOr<ListTokensReply> ListTokens(const ListTokensRequest& request,
                                               Duration deadline) = 0;
  // When it returns, all connections of the token's holder are closed.
  virtual Status RevokeToken(const RevokeTokenRequest& request, Duration deadline) = 0;
};

}  // namespace dl::rpc
