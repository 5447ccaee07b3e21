// A master somewhere else, behind the same interfaces as one in this process.
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

// By what the master knows a client, and a client the master.
struct Credentials {
  std::string token;       // "ID.SECRET" (security/token.h); empty: none
  std::string token_from;  // where it came from, for messages to people
  // How the master is known: by one of these the connection is encrypted, and never goes on where
  // the master is another one. Without either it is not, and only a loopback address is spoken to.
  std::string fingerprint;       // of the CA (security::Token::ca)
  std::string ca;                // PEM file
  std::string certificate, key;  // PEM files of one's own, or empty
  // Without encryption the master on this machine has to be this user's or root's, or the process
  // of one of these: nobody else is sent anything.
  std::vector<uid_t> master_users;
  bool operator==(const Credentials&) const = default;
};

struct ClientOptions {
  Endpoint endpoint;
  std::string role = "client";  // "executor", "client": for messages to people
  std::string version;          // of this binary, likewise
  Credentials credentials;
  // In place of these: asked for each connection, as a master that comes later, or comes again, may
  // leave others then. Thread-safe; null: there is nothing to look for.
  std::function<StatusOr<Credentials>()> find_credentials;
  int32_t protocol = kProtocolVersion;  // tests pretend to be another version
  // Connections, opened when needed: one for heartbeats, one for calls that the master may hold
  // back (LeaseUnits, Events), one for all others, in turn. These three are kept. Calls that have
  // waited for `patience`, polls that would wait at all, get further ones, and those are closed
  // when nobody has needed them for `spare`, by the next call of any kind.
  Duration patience = limits::kConnectionPatience;
  Duration spare = limits::kSpareConnection;
  int poll_connections = 4;     // at most
  int bulk_connections = 4;     // likewise, of all calls but polls and heartbeats
  int control_connections = 4;  // calls without bulk data may be as many more
};

// Thread-safe. Each call connects if need be and ends within its deadline (looking a host name up
// is the one thing that can take longer). A master at its connection limit is asked again until
// then; any other retrying is the caller's. Beyond the errors of the services:
//
//   Unavailable         refused, at its connection limit all the time, or the connection broke: the
//                       call may or may not have happened
//   DeadlineExceeded    the same, by time
//   Unimplemented       "version mismatch", or the peer is no Paravane master
//   ResourceExhausted   a message over the limits (it was not sent)
//   InvalidArgument     a text that is too long or not UTF-8 (it was not sent)
//   Cancelled           after Close
//   Unauthenticated     the master lets this client not in, or not do that; or what answers is not
//                       the master that the credentials are of, or a process of another user
//
// A connection on which anything but an answer happened is closed and never used again.
class Client : public ExecutorService, public ClientService, public AdminService {
 public:
  // Opens nothing yet. InvalidArgument for options that cannot work.
  static StatusOr<std::unique_ptr<Client>> Connect(ClientOptions options);
  ~Client() override;  // no call may be under way: Close, then join the callers

  // Ends the calls under way, and every later one, with Cancelled.
  void Close();

  // Sends what fits of what the executor holds (rpc/registration.h).
  StatusOr<RegisterReply> Register(const RegisterRequest& request, Duration deadline) override;
  StatusOr<HeartbeatReply> Heartbeat(const HeartbeatRequest& request, Duration deadline) override;
  Status Goodbye(const GoodbyeRequest& request, Duration deadline) override;
  StatusOr<LeaseReply> LeaseUnits(const LeaseRequest& request, Duration deadline) override;
  StatusOr<AnnounceReply> Announce(const AnnounceRequest& request, Duration deadline) override;
  // Sends what fits of the report's texts (rpc/failure_report.h).
  Status ReportFailure(const FailureReport& report, Duration deadline) override;
  StatusOr<FetchJobReply> FetchJob(const FetchJobRequest& request, Duration deadline) override;
  StatusOr<Chunk> FetchPart(const FetchRequest& request, Duration deadline) override;
  StatusOr<Chunk> FetchBlock(const FetchRequest& request, Duration deadline) override;
  StatusOr<ContributionReply> Contribute(const ContributionChunk& chunk,
                                         Duration deadline) override;
  Status OfferPart(const OfferChunk& chunk, Duration deadline) override;
  void ConnectionLost(uint64_t) override {}  // the server's notice; it does not travel

  // Any number of names: asked for in pieces that fit a message.
  StatusOr<MissingBlocksReply> MissingBlocks(const MissingBlocksRequest& request,
                                             Duration deadline) override;
  Status PutBlocks(const PutBlocksRequest& request, Duration deadline) override;
  StatusOr<SubmitReply> Submit(const SubmitRequest& request, Duration deadline) override;
  StatusOr<JobActionReply> Act(const JobActionRequest& request, Duration deadline) override;
  StatusOr<QueryReply> Query(const QueryRequest& request, Duration deadline) override;
  StatusOr<EventsReply> Events(const EventsRequest& request, Duration deadline) override;
  StatusOr<Chunk> FetchCheckpoint(const FetchRequest& request, Duration deadline) override;
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
