// What the executor's core hears, and what it says and has run. One computation of a unit is named
// by the lease that it was started with; lease numbers never come again, whatever master they are
// of.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/one_of.h"
#include "base/status.h"
#include "executor/core/fetched.h"
#include "rpc/messages.h"

namespace dl::executor {

// What a unit computed, as the announcement will say it (session and lease are filled in when it is
// sent).
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
// Answers name the computation that they are about: of one unit there may have been another since.
struct AnnounceAnswered {
  uint64_t session = 0;
  uint64_t lease = 0;  // that names the computation
  UnitId unit;
  StatusOr<rpc::AnnounceReply> reply;
};
struct ContributionSent {
  uint64_t session = 0;
  uint64_t lease = 0;  // likewise
  UnitId unit;
  StatusOr<rpc::ContributionReply> reply;
};
// The thread of a RunUnit has come back, with one of these two, also when the unit was aborted.
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
  bool not_finite = false;
  Fetched fetched = Fetched::kState;  // what did not arrive, where that is why
};
struct FailureReported {
  uint64_t session = 0;
  uint64_t lease = 0;  // that names the computation
  UnitId unit;
  Status status;
};
// What a gather asked for was sent, or could not be.
struct GatherSent {
  uint64_t session = 0;
  uint64_t number = 0;  // rpc::Gather::number
  StatusOr<rpc::ContributionReply> reply;
};
struct DrainRequested {};  // take no more work, finish what runs and deliver it, then say goodbye
struct StopRequested {};   // say goodbye now
struct GoodbyeAnswered {};

struct AllEvents {
  using Variant =
      std::variant<Tick, RegisterAnswered, HeartbeatAnswered, LeaseAnswered, AnnounceAnswered,
                   ContributionSent, GatherSent, UnitFinished, UnitFailed, FailureReported,
                   DrainRequested, StopRequested, GoodbyeAnswered>;
};
using Event = OneOf<AllEvents>;

// ---- effects ----
struct SendRegister {
  rpc::RegisterRequest request;
};  // the shell adds held_parts and pieces of states that it asked for again: it knows its caches
struct SendHeartbeat {
  rpc::HeartbeatRequest request;
  std::vector<uint64_t>
      computations;  // of request.running, in its order: the leases that name them
};                   // the shell adds progress, cache figures, and such pieces
struct SendLease {
  rpc::LeaseRequest request;
};
struct SendAnnounce {
  rpc::AnnounceRequest request;
};
struct SendFailure {
  uint64_t lease = 0;  // that names the computation
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
struct HoldResult {
  uint64_t lease = 0;  // that names the computation
};  // it is asked for when its round is complete: until then it may be kept on disk
struct SendGather {
  uint64_t session = 0;
  rpc::Gather gather;
  std::vector<uint64_t> computations;  // of its inputs, in their order: the leases that name them
};
struct RunUnit {
  rpc::Lease lease;
  int32_t slot = 0;  // whose thread has nothing else to do
};
struct AbortUnit {
  uint64_t lease = 0;
  UnitId unit;
};  // stop computing; UnitFinished or UnitFailed says that the thread has come back, if it ever
    // does
struct DropResult {
  uint64_t lease = 0;
  UnitId unit;
};  // the bytes of this computation may be freed
struct OfferPart {
  uint64_t session = 0;
  std::string job;
  std::string sha256;
};
struct Joined {};  // a session has begun
struct Waits {
  Status why;
};  // there is no session to be had for now; told once, until one has begun or the reason is
    // another
struct Refused {
  Status why;
};  // there will never be one: whatever the address is, it is no master for this executor
struct StartAnew {
  std::string why;
};  // another process is wanted in place of this one
struct Warn {
  std::string message;
};               // for the log
struct Exit {};  // said goodbye, or gave up saying it

struct AllEffects {
  using Variant =
      std::variant<SendRegister, SendHeartbeat, SendLease, SendAnnounce, SendFailure, SendGoodbye,
                   SendContribution, HoldResult, SendGather, RunUnit, AbortUnit, DropResult,
                   OfferPart, Joined, Waits, Refused, StartAnew, Warn, Exit>;
};
using Effect = OneOf<AllEffects>;

// Nothing is wrong with a unit that network or master kept from its data: whoever has the lease
// tries again, and nobody is told of a failure.
inline bool IsTriedAgain(rpc::Fault fault) {
  return fault == rpc::Fault::kNetwork || fault == rpc::Fault::kMaster;
}

}  // namespace dl::executor
