// The master as its peers see it. Implemented by master/gateway; called in-process by local[N],
// through Thrift by everybody else. Every method blocks at most `deadline`, may be called again
// with the same arguments after any error, and is thread-safe.
//
// Errors every method may return: Unavailable (not connected, the master is starting or stopping:
// try again), DeadlineExceeded, Aborted (the session or term is over: register again),
// InvalidArgument (the message is wrong: a bug or a version mismatch), ResourceExhausted (over a
// limit). Who may call what is the server's to say (rpc/access.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "rpc/messages_fwd.h"

namespace dl::rpc {

// The process that a session was opened for.
struct SessionHolder {
  std::string holder;    // as in RegisterRequest
  std::string executor;  // name
};

class ExecutorService {
 public:
  virtual ~ExecutorService() = default;
  // Control: small messages, answered from the core.
  virtual StatusOr<RegisterReply> Register(const RegisterRequest& request, Duration deadline) = 0;
  virtual StatusOr<HeartbeatReply> Heartbeat(const HeartbeatRequest& request,
                                             Duration deadline) = 0;
  virtual Status Goodbye(const GoodbyeRequest& request, Duration deadline) = 0;
  virtual StatusOr<LeaseReply> LeaseUnits(const LeaseRequest& request, Duration deadline) = 0;
  virtual StatusOr<AnnounceReply> Announce(const AnnounceRequest& request, Duration deadline) = 0;
  virtual Status ReportFailure(const FailureReport& request, Duration deadline) = 0;
  virtual StatusOr<FetchJobReply> FetchJob(const FetchJobRequest& request, Duration deadline) = 0;
  // Bulk: one chunk each; NotFound when the master has not got the content.
  virtual StatusOr<Chunk> FetchPart(const FetchRequest& request, Duration deadline) = 0;
  virtual StatusOr<Chunk> FetchBlock(const FetchRequest& request, Duration deadline) = 0;
  virtual StatusOr<ContributionReply> Contribute(const ContributionChunk& chunk,
                                                 Duration deadline) = 0;
  virtual Status OfferPart(const OfferChunk& chunk, Duration deadline) = 0;
  // Told by the server, not by a peer: the connection that carried this session's heartbeats is
  // gone. A hint that makes the loss of a killed process visible at once; a new heartbeat takes it
  // back.
  virtual void ConnectionLost(uint64_t session) = 0;
  // Asked by the server, not by a peer, before each call that names a session. nullopt: the session
  // is over, or never was.
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
  // One chunk of a part of a checkpoint; `sha256` is "JOB@ROUND/PART" with PART a part's key:
  // model, updater-3.
  virtual StatusOr<Chunk> FetchCheckpoint(const FetchRequest& request, Duration deadline) = 0;
  // NotFound where no executor has that name and none is on such a host.
  virtual StatusOr<DrainReply> Drain(const DrainRequest& request, Duration deadline) = 0;
  // One chunk at most, each way.
  virtual StatusOr<MeasureReply> Measure(const MeasureRequest& request, Duration deadline) = 0;
};

// Who may come in. Of admins alone.
class AdminService {
 public:
  virtual ~AdminService() = default;
  virtual StatusOr<CreateTokenReply> CreateToken(const CreateTokenRequest& request,
                                                 Duration deadline) = 0;
  virtual StatusOr<ListTokensReply> ListTokens(const ListTokensRequest& request,
                                               Duration deadline) = 0;
  // Whatever the token's holder has open is closed when it returns.
  virtual Status RevokeToken(const RevokeTokenRequest& request, Duration deadline) = 0;
};

}  // namespace dl::rpc
