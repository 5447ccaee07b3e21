// The services of the master for its peers. master/gateway implements ExecutorService and
// ClientService, and launch/master_security.h implements AdminService. local[N] and the master's
// web server call them in-process, other peers call them through Thrift. Every method is
// thread-safe, may be repeated with the same arguments after any error, and waits for other threads
// for at most `deadline`.
//
// Errors that every method with a `deadline` may return:
//
//   Unavailable         not connected, or the master is starting, stopping or short of memory
//   DeadlineExceeded    the deadline passed
//   Aborted             methods with a session: it is over; register again
//   InvalidArgument     the message is wrong
//   ResourceExhausted   over a limit
//   Unauthenticated     the caller may not do this (rpc/access.h)
//
// rpc::Client adds errors of the connection.
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

  // Opens a session, which ends the earlier session of the executor's name. Returns Unavailable
  // while another process with this name has a connected session, Aborted if a process with a
  // higher incarnation is registered, InvalidArgument for invalid fields, ResourceExhausted at the
  // limit of sessions. Returns Unauthenticated for a new name if too many executors with this token
  // were quarantined.
  virtual StatusOr<RegisterReply> Register(const RegisterRequest& request, Duration deadline) = 0;
  // Extends the leases of those units in `running` that are still needed from the executor, lists
  // the others in `abandon`, and returns the master's requests to the executor.
  virtual StatusOr<HeartbeatReply> Heartbeat(const HeartbeatRequest& request,
                                             Duration deadline) = 0;
  // Ends the session and its leases. Any executor may then lease its units.
  virtual Status Goodbye(const GoodbyeRequest& request, Duration deadline) = 0;
  // Leases up to `free_slots` units. Leases fewer if fewer are ready for the executor, and never
  // more than 256 in one reply. Waits up to `wait_ms` for a unit or a new gather, then returns an
  // empty reply. A later request of the session ends the wait of an earlier request with an
  // empty reply. Returns InvalidArgument if `free_slots` is less than 1.
  virtual StatusOr<LeaseReply> LeaseUnits(const LeaseRequest& request, Duration deadline) = 0;
  // Checks the description of a result and decides whether its bytes are wanted, and when. Returns
  // InvalidArgument if it does not fit the unit, Unavailable while the job's state is being loaded.
  virtual StatusOr<AnnounceReply> Announce(const AnnounceRequest& request, Duration deadline) = 0;
  // Ends a lease whose unit failed. The unit is leased again after a pause, unless the failure ends
  // the job (Fault). A late or unknown lease is not an error and has no effect.
  virtual Status ReportFailure(const FailureReport& request, Duration deadline) = 0;
  // Returns the documents of a job. Returns NotFound unless a lease, a hint or a gather of the job
  // was sent in the session.
  virtual StatusOr<FetchJobReply> FetchJob(const FetchJobRequest& request, Duration deadline) = 0;
  // ---- bulk: one chunk per call ----

  // Return a chunk of a part of a running job's state, or of a dataset block. Return NotFound if
  // the master does not have the content, InvalidArgument for a range outside of it, DataLoss if it
  // is damaged.

  virtual StatusOr<Chunk> FetchPart(const FetchRequest& request, Duration deadline) = 0;
  virtual StatusOr<Chunk> FetchBlock(const FetchRequest& request, Duration deadline) = 0;
  // Receives a chunk of an accepted contribution or of a gather. Returns DataLoss or
  // InvalidArgument if the bytes differ from the announcement.
  virtual StatusOr<ContributionReply> Contribute(const ContributionChunk& chunk,
                                                 Duration deadline) = 0;
  // Receives a chunk of a part that the master asked for, because it lacks the state. Ignores a
  // part that it does not need any more. Returns NotFound if the job is not running,
  // InvalidArgument if the chunk does not fit, and DataLoss if bytes do not match their hash.
  virtual Status OfferPart(const OfferChunk& chunk, Duration deadline) = 0;
  // Called by the server, not by a peer, when the last connection that carried this session's
  // heartbeats is closed. Ends the session after a short time (1.5 s by default), unless another
  // heartbeat arrives. So the loss of a killed process is noticed before the session times out.
  virtual void ConnectionLost(uint64_t session) = 0;
  // Called by the server, not by a peer, before each call that names a session. Returns nullopt if
  // the session has ended or never existed.
  virtual std::optional<SessionHolder> FindSession(uint64_t) const { return std::nullopt; }
};

class ClientService {
 public:
  virtual ~ClientService() = default;
  // Returns the names of the blocks that the master does not have. The age of the other blocks
  // begins again, so that retention keeps them for the submission that follows.
  virtual StatusOr<MissingBlocksReply> MissingBlocks(const MissingBlocksRequest& request,
                                                     Duration deadline) = 0;
  // Stores all of the blocks or none. Returns InvalidArgument if a block does not hash to its name,
  // or if names, sizes and bytes do not fit; ResourceExhausted for too many blocks or a full disk.
  virtual Status PutBlocks(const PutBlocksRequest& request, Duration deadline) = 0;
  // Returns a chunk of a dataset block, with the errors of ExecutorService::FetchBlock. A remote
  // executor that fetches a block names no session and also reaches this method.
  virtual StatusOr<Chunk> FetchBlock(const FetchRequest& request, Duration deadline) = 0;
  // Submits a job. The same `request_id` of the same owner returns the same job, while the id is
  // among the newest limits::kMaxRequestsRemembered. Returns:
  //
  // - InvalidArgument: an invalid spec or manifest.
  // - NotFound: an unknown job or checkpoint in the request.
  // - FailedPrecondition: missing blocks, or the job of Scheduling::after has ended otherwise than
  //   SUCCEEDED.
  // - ResourceExhausted: the queue or the disk is full, or the documents are too large.
  virtual StatusOr<SubmitReply> Submit(const SubmitRequest& request, Duration deadline) = 0;
  // Performs an action on a job. A repeated `request_id` returns the same answer, as for Submit.
  // Returns:
  //
  // - NotFound: an unknown job or checkpoint.
  // - FailedPrecondition: the state of the job, or of a job that needs it, forbids the action, or a
  //   pinned checkpoint forbids kDelete.
  // - Unauthenticated: another owner's job, unless the caller is an admin.
  // - ResourceExhausted: too many queued or paused jobs, or kDelete while a client reads a
  //   checkpoint of the job.
  // - DataLoss: the job's records are damaged. Only kDelete is possible then.
  virtual StatusOr<JobActionReply> Act(const JobActionRequest& request, Duration deadline) = 0;
  // Returns a JSON document. Returns NotFound for an unknown job, or for a document that the job
  // does not have. The "log" of an unknown job is an empty list and no error. Returns
  // InvalidArgument for an unknown query, and for a negative number in a field that the query uses.
  virtual StatusOr<QueryReply> Query(const QueryRequest& request, Duration deadline) = 0;
  // Returns events of a job after a sequence number. Waits up to `wait_ms` for an event. Returns
  // NotFound for an unknown job.
  virtual StatusOr<EventsReply> Events(const EventsRequest& request, Duration deadline) = 0;
  // Returns one chunk of a part of a checkpoint. `sha256` is "JOB@ROUND/PART", or
  // "JOB@ROUND~ROLLBACK/PART" if the checkpoint was set aside. PART is a part's key: model,
  // updater-3. Returns NotFound if the checkpoint or part does not exist, InvalidArgument for
  // another form or range, DataLoss for a damaged checkpoint. The checkpoint is not deleted until
  // its reader calls EndRead, but at most for a minute after the last chunk, and for an hour after
  // its deletion was due or first requested.
  virtual StatusOr<Chunk> FetchCheckpoint(const FetchRequest& request, Duration deadline) = 0;
  // Ends the reading of a checkpoint, with all of its parts. Does nothing if the reader does not
  // read it. Returns InvalidArgument for another form of the name.
  virtual Status EndRead(const EndReadRequest& request, Duration deadline) = 0;
  // Makes the executor with the requested name, and all executors on a host of this name, finish
  // their units and leave. Returns NotFound if no executor matches.
  virtual StatusOr<DrainReply> Drain(const DrainRequest& request, Duration deadline) = 0;
  // Measures the network and the difference of two clocks: receives `bytes`, and returns
  // `reply_bytes` zeros and the time of the master's clock. Both sizes are at most
  // limits::kChunkBytes.
  virtual StatusOr<MeasureReply> Measure(const MeasureRequest& request, Duration deadline) = 0;
};

// Management of tokens, for admins only.
class AdminService {
 public:
  virtual ~AdminService() = default;
  // Creates a token. Its secret is returned only here; a repeated call creates another token.
  // Returns InvalidArgument for an unknown role or an invalid executor name, and the errors of
  // security::TokenStore::Create.
  virtual StatusOr<CreateTokenReply> CreateToken(const CreateTokenRequest& request,
                                                 Duration deadline) = 0;
  // Lists all tokens, without secrets.
  virtual StatusOr<ListTokensReply> ListTokens(const ListTokensRequest& request,
                                               Duration deadline) = 0;
  // Revokes a token. When it returns OK, calls with the token are denied and the connections of its
  // holders are being closed. Returns NotFound for an unknown id.
  virtual Status RevokeToken(const RevokeTokenRequest& request, Duration deadline) = 0;
};

}  // namespace dl::rpc
