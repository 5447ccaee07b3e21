// A remote master, with the same interfaces as a master in this process.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "rpc/endpoint.h"
#include "rpc/protocol_version.h"
#include "rpc/service.h"

namespace dl::rpc {

// Identifies the client to the master, and the master to the client.
struct Credentials {
  std::string token;       // "ID.SECRET" (security/token.h); empty: none
  std::string token_from;  // its origin for messages, such as "the token in FILE"
  // Identity of the master. If either is set, the connection is encrypted and is given up if the
  // master does not match. If neither is set, the connection is not encrypted, and only loopback
  // addresses are allowed.
  std::string fingerprint;       // of the cluster's CA (security::Token::ca)
  std::string ca;                // PEM file; not used if `fingerprint` is set
  std::string certificate, key;  // PEM files of this client, or empty; for encrypted connections
  // Users whose processes are accepted as master on an unencrypted connection, in addition to this
  // user and root. The client sends nothing to a process of any other user.
  std::vector<uid_t> master_users;
  bool operator==(const Credentials&) const = default;
};

struct ClientOptions {
  Endpoint endpoint;
  std::string role = "client";  // "executor" or "client", for messages to people
  std::string version;          // of this binary, for messages to people
  Credentials credentials;
  // Returns the credentials for a new connection, because a later or restarted master may need
  // other credentials. Its errors are returned by the call that needs the connection. Must be
  // thread-safe. Null: `credentials` are used.
  std::function<StatusOr<Credentials>()> find_credentials;
  int32_t protocol = kProtocolVersion;  // tests may claim another version
  // Connections are opened when needed. Heartbeats have one connection. Polls, which are calls that
  // the master may hold back (LeaseUnits, Events), have another, and all other calls take turns on
  // a third. These three are kept. A further connection is opened for a call that has waited for
  // `growth_delay`, and at once for a poll that would have to wait. It is closed by a later call of
  // any kind when it was not needed for the time `spare_timeout`.
  Duration growth_delay = limits::kConnectionGrowthDelay;
  Duration spare_timeout = limits::kSpareConnectionTimeout;
  int poll_connections = 4;  // largest number of connections for polls
  // A call with bulk data waits while this many connections are in use, whether by calls with or
  // without bulk data. Polls and heartbeats do not count.
  int bulk_connections = 4;
  // Other calls without bulk data may use this many connections more. The three maxima must be at
  // least 1.
  int control_connections = 4;
};

// Thread-safe. Each call connects if needed and ends at its deadline at the latest. Longer
// deadlines count as limits::kMaxCallDeadline; only the lookup of a host name may take longer.
// While the master is at its connection limit, the call retries until the deadline. A refused
// greeting is repeated with new credentials if find_credentials returns other ones. All other
// retries are left to the caller. Errors in addition to those of the services and of the
// credentials' files:
//
//   Unavailable         refused, or the master was at its connection limit all the time, or the
//                       connection broke: the call may or may not have been executed.
//   DeadlineExceeded    the deadline passed: the call may or may not have been executed.
//   Unimplemented       "version mismatch", or the peer is not a Paravane master, or it does not
//                       serve the method.
//   ResourceExhausted   a request over the limits (it was not sent), or an answer over the limits.
//   InvalidArgument     a text that is too long or not UTF-8, in the request (it was not sent) or
//                       in the answer.
//   Cancelled           after Close.
//   Unauthenticated     the master does not admit this client or does not allow the call; or the
//                       peer does not match the credentials, or belongs to another user.
//   Internal, Unknown   the master or the client failed in an unexpected way.
//
// A connection is closed and not used again after a denied call, and after each call that ended
// without an answer of the master.
class Client : public ExecutorService, public ClientService, public AdminService {
 public:
  // Opens no connection yet. Returns InvalidArgument for invalid options. Without find_credentials,
  // also returns the errors of the credentials: of their files, and Unauthenticated if an
  // unencrypted connection to the endpoint is not allowed.
  static StatusOr<std::unique_ptr<Client>> Connect(ClientOptions options);
  ~Client() override;  // REQUIRES: no call is running (Close, then join the callers)

  // Ends running calls with Cancelled, unless their answer has arrived. Later calls return
  // Cancelled.
  void Close();
  // Returns the owner of the credentials, as the master named it for the last connection. Empty
  // before the first call.
  std::string owner() const;

  // Sends only as much of the executor's held lists as fits (rpc/held_lists.h).
  StatusOr<RegisterReply> Register(const RegisterRequest& request, Duration deadline) override;
  StatusOr<HeartbeatReply> Heartbeat(const HeartbeatRequest& request, Duration deadline) override;
  Status Goodbye(const GoodbyeRequest& request, Duration deadline) override;
  StatusOr<LeaseReply> LeaseUnits(const LeaseRequest& request, Duration deadline) override;
  StatusOr<AnnounceReply> Announce(const AnnounceRequest& request, Duration deadline) override;
  // Shortens the report's texts to their limits (rpc/failure_report.h).
  Status ReportFailure(const FailureReport& report, Duration deadline) override;
  StatusOr<FetchJobReply> FetchJob(const FetchJobRequest& request, Duration deadline) override;
  StatusOr<Chunk> FetchPart(const FetchRequest& request, Duration deadline) override;
  StatusOr<Chunk> FetchBlock(const FetchRequest& request, Duration deadline) override;
  StatusOr<ContributionReply> Contribute(const ContributionChunk& chunk,
                                         Duration deadline) override;
  Status OfferPart(const OfferChunk& chunk, Duration deadline) override;
  void ConnectionLost(uint64_t) override {}  // called only by the server; has no message

  // Accepts any number of names; sends them in several messages if needed.
  StatusOr<MissingBlocksReply> MissingBlocks(const MissingBlocksRequest& request,
                                             Duration deadline) override;
  Status PutBlocks(const PutBlocksRequest& request, Duration deadline) override;
  StatusOr<SubmitReply> Submit(const SubmitRequest& request, Duration deadline) override;
  StatusOr<JobActionReply> Act(const JobActionRequest& request, Duration deadline) override;
  StatusOr<QueryReply> Query(const QueryRequest& request, Duration deadline) override;
  StatusOr<EventsReply> Events(const EventsRequest& request, Duration deadline) override;
  StatusOr<Chunk> FetchCheckpoint(const FetchRequest& request, Duration deadline) override;
  Status EndRead(const EndReadRequest& request, Duration deadline) override;
  StatusOr<DrainReply> Drain(const DrainRequest& request, Duration deadline) override;
  StatusOr<MeasureReply> Measure(const MeasureRequest& request, Duration deadline) override;

  StatusOr<CreateTokenReply> CreateToken(const CreateTokenRequest& request,
                                         Duration deadline) override;
  StatusOr<ListTokensReply> ListTokens(const ListTokensRequest& request,
                                       Duration deadline) override;
  Status RevokeToken(const RevokeTokenRequest& request, Duration deadline) override;

 private:
  class Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dl::rpc
