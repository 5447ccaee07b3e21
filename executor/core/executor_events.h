// Events and effects of the executor's core. Each computation of a unit is named by the lease that
// started it. Lease numbers are never reused, not even by another master.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/one_of.h"
#include "base/status.h"
#include "executor/core/fetch_target.h"
#include "rpc/messages.h"

namespace dl::executor {

// Result of a unit, as it will be announced. Session, lease, the SHA-256 of the spec and the number
// of free slots are set when it is sent.
struct UnitOutcome {
  rpc::AnnounceRequest announcement;
};

// ---- events ----
struct Tick {};
struct RegisterAnswered {
  StatusOr<rpc::RegisterReply> reply;
};
struct HeartbeatAnswered {
  uint64_t session = 0;
  StatusOr<rpc::HeartbeatReply> reply;
};
struct LeaseAnswered {
  uint64_t session = 0;
  StatusOr<rpc::LeaseReply> reply;
};
// Answers name the computation that they belong to, because the unit may have been computed again
// meanwhile.
struct AnnounceAnswered {
  uint64_t session = 0;
  uint64_t lease = 0;  // names the computation
  UnitId unit;
  StatusOr<rpc::AnnounceReply> reply;
};
struct ContributionSent {
  uint64_t session = 0;
  uint64_t lease = 0;  // names the computation
  UnitId unit;
  StatusOr<rpc::ContributionReply> reply;
};
// The thread of a RunUnit has returned and is free again. Each RunUnit ends with UnitFinished or
// UnitFailed, also after AbortUnit.
struct UnitFinished {
  uint64_t lease = 0;
  UnitId unit;
  UnitOutcome outcome;
};
struct UnitFailed {
  uint64_t lease = 0;
  UnitId unit;
  Status status;
  rpc::Fault fault = rpc::Fault::kUnit;
  bool not_finite = false;                    // as in rpc::FailureReport
  FetchTarget fetched = FetchTarget::kState;  // the data that did not arrive, if that is the cause
};
struct FailureReported {
  uint64_t session = 0;
  uint64_t lease = 0;  // names the computation
  UnitId unit;
  Status status;
};
// The result cannot be read any more, or has changed since its announcement. The attempt to send
// the result found this. The ContributionSent or GatherSent of the attempt follows.
struct ResultLost {
  uint64_t lease = 0;  // names the computation
  UnitId unit;
  Status status;
};
// A gather was sent, or sending it failed.
struct GatherSent {
  uint64_t session = 0;
  uint64_t number = 0;  // rpc::Gather::number
  StatusOr<rpc::ContributionReply> reply;
};
// A part was offered, or offering it failed.
struct PartOffered {
  uint64_t session = 0;
  std::string sha256;
  Status status;
};
// Take no more work, return units that wait, deliver all other units, then say goodbye.
struct DrainRequested {};
struct StopRequested {};  // abort running units and say goodbye now
struct GoodbyeAnswered {};

struct AllEvents {
  using Variant =
      std::variant<Tick, RegisterAnswered, HeartbeatAnswered, LeaseAnswered, AnnounceAnswered,
                   ContributionSent, ResultLost, GatherSent, PartOffered, UnitFinished, UnitFailed,
                   FailureReported, DrainRequested, StopRequested, GoodbyeAnswered>;
};
using Event = OneOf<AllEvents>;

// ---- effects ----
// The shell adds held_parts. It adds the number of pieces of states that it fetched again to
// retries.states.
struct SendRegister {
  rpc::RegisterRequest request;
};
// The shell adds progress and cache figures. It adds the number of pieces of states that it fetched
// again to retries.states.
struct SendHeartbeat {
  rpc::HeartbeatRequest request;
  // The lease that starts the computation of each unit of request.running, in its order. The unit's
  // `lease` in request.running may be newer.
  std::vector<uint64_t> computations;
};
struct SendLease {
  rpc::LeaseRequest request;
};
struct SendAnnounce {
  rpc::AnnounceRequest request;
};
struct SendFailure {
  uint64_t lease = 0;  // names the computation
  rpc::FailureReport request;
};
struct SendGoodbye {
  rpc::GoodbyeRequest request;
};
struct SendContribution {
  uint64_t session = 0;
  uint64_t lease = 0;  // names the computation
  UnitId unit;
  uint64_t hash = 0;
};
// Hold the result until DropResult, because the master may request it in gathers until its round is
// committed. It may be kept on disk meanwhile.
struct HoldResult {
  uint64_t lease = 0;  // names the computation
};
struct SendGather {
  uint64_t session = 0;
  rpc::Gather gather;
  std::vector<uint64_t> computations;  // leases that name its inputs, in their order
};
// Returns the unit whose result is this input of the gather.
inline UnitId UnitOf(const rpc::Gather& gather, const rpc::GatherInput& input) {
  return {gather.job, UnitKind::kTrain, gather.round, input.index};
}
struct RunUnit {
  rpc::Lease lease;
  int32_t slot = 0;  // slot that computes the unit; its thread is free
};
// Stop computing. UnitFinished or UnitFailed follows when the thread has returned, if it ever does.
struct AbortUnit {
  uint64_t lease = 0;
  UnitId unit;
};
// The bytes of this computation may be freed.
struct DropResult {
  uint64_t lease = 0;
  UnitId unit;
};
// Send the cached part to the master, which asked for it.
struct OfferPart {
  uint64_t session = 0;
  std::string job;
  std::string sha256;
};
struct Joined {};  // a session has begun
// The registration failed and will be repeated. Sent once, until a session begins or the reason
// changes.
struct Waits {
  Status why;
};
// The executor gives up its registration and ends, without Exit. The peer speaks another protocol,
// denies the executor, or accepts connections and never answers (executor/core/registration.h).
struct Refused {
  Status why;
};
// This process must be replaced by a new process.
struct Restart {
  std::string why;
};
// A warning for the log.
struct Warn {
  std::string message;
};
// The executor has left. The goodbye succeeded or failed, or there was no session.
struct Exit {};

struct AllEffects {
  using Variant =
      std::variant<SendRegister, SendHeartbeat, SendLease, SendAnnounce, SendFailure, SendGoodbye,
                   SendContribution, HoldResult, SendGather, RunUnit, AbortUnit, DropResult,
                   OfferPart, Joined, Waits, Refused, Restart, Warn, Exit>;
};
using Effect = OneOf<AllEffects>;

// Returns whether the executor retries a unit that ended with this fault before it reports the
// failure. Faults of the network and of the master are retried, because nothing is wrong with the
// unit. The failure is reported if retries fail for 30 s, or if the executor is leaving.
inline bool IsTriedAgain(rpc::Fault fault) {
  return fault == rpc::Fault::kNetwork || fault == rpc::Fault::kMaster;
}

}  // namespace dl::executor
