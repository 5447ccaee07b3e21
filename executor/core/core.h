// An executor's control logic as a pure state machine: what to say to the master and what to run,
// given what was heard and what finished. No thread, no I/O, no clock: the executor's shell and the
// simulator drive the very same code.
//
// A unit's way: leased -> running -> announcing -> sending -> retained until its round is
// committed. One that could not begin, because what it starts from did not arrive, waits and is
// tried again. A unit is a pure function, so losing the session never stops it: its result is
// announced in the next session. The next session may be one with another master whose job has the
// same name by chance: a result belongs to the job spec that it was computed for, named by its
// SHA-256, and serves no lease of another one.
//
// One computation of a unit is named by the lease that it was started with; lease numbers never
// come again, whatever master they are of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "rpc/messages.h"

namespace dl::executor {

struct CoreOptions {
  std::string name;
  uint64_t incarnation = 1;
  int32_t slots = 1;
  std::string contract;
  std::string isa;
  std::string host;
  int32_t pid = 0;
  std::string version;
  int64_t unit_memory_bytes = 0;          // rpc::RegisterRequest
  std::vector<rpc::CrashedUnit> crashed;  // what the incarnation before left; told once
  // Of results: on their way to the master, or kept for one that is started again. Beyond it those
  // that are only kept go, the oldest first, and while what is on its way alone is more, no work is
  // asked for.
  int64_t result_bytes = int64_t{1} << 30;
  Duration lease_wait = std::chrono::milliseconds(1000);
  Duration first_backoff = std::chrono::milliseconds(50);
  Duration longest_backoff = std::chrono::milliseconds(500);
};

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

using Event = std::variant<Tick, RegisterAnswered, HeartbeatAnswered, LeaseAnswered,
                           AnnounceAnswered, ContributionSent, GatherSent, UnitFinished, UnitFailed,
                           FailureReported, DrainRequested, StopRequested, GoodbyeAnswered>;

// ---- effects ----
struct SendRegister {
  rpc::RegisterRequest request;
};  // the shell adds held_parts: it knows its caches
struct SendHeartbeat {
  rpc::HeartbeatRequest request;
  std::vector<uint64_t> computations;  // the leases that name request.running, in its order
};                                     // the shell adds progress and cache figures
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
};  // the master asks for another process in place of this one
struct Warn {
  std::string message;
};               // for the log
struct Exit {};  // said goodbye, or gave up saying it

using Effect =
    std::variant<SendRegister, SendHeartbeat, SendLease, SendAnnounce, SendFailure, SendGoodbye,
                 SendContribution, HoldResult, SendGather, RunUnit, AbortUnit, DropResult,
                 OfferPart, Joined, Waits, Refused, StartAnew, Warn, Exit>;

// Nothing is wrong with a unit that network or master kept from its data: whoever has the lease
// tries again, and nobody is told of a failure.
inline bool IsTriedAgain(rpc::Fault fault) {
  return fault == rpc::Fault::kNetwork || fault == rpc::Fault::kMaster;
}

class Core {
 public:
  Core(CoreOptions options, Instant now);

  std::vector<Effect> Step(const Event& event, Instant now);
  Instant NextDeadline() const;

  uint64_t session() const { return session_; }
  // Units that are computed right now, or about to be.
  int32_t running() const;
  // Of the results that are here, but for those that are held.
  int64_t result_bytes() const { return UndeliveredBytes() + RetainedBytes(); }

 private:
  // kHeld: accepted, and kept for a gather. kRetained: the master has the bytes.
  enum class Stage { kWaiting, kRunning, kAnnouncing, kSending, kHeld, kReporting, kRetained };
  struct Work {
    rpc::Lease lease;  // the newest one of this unit
    Instant leased_at;
    uint64_t computed_under =
        0;  // the lease that its computation was started with, which names the computation
    uint64_t retained_in = 0;  // kRetained: the session that took its bytes
    uint64_t retained_as = 0;  // likewise: its number among those that were taken
    uint64_t gathered_by = 0;  // kHeld: the last gather that brought its bytes to the master
    Stage stage = Stage::kWaiting;
    bool asked = false;  // a message about it is on its way
    Instant retry_at;
    int32_t failures = 0;   // of sending, in a row; kWaiting: of fetching
    Instant failing_since;  // kWaiting: the first of them
    int32_t refusals = 0;   // of the contribution's bytes
    UnitOutcome outcome;
    rpc::FailureReport failure;
  };

  // What the master wants to have now of what is held here.
  struct Gathering {
    rpc::Gather gather;
    std::vector<uint64_t> computations;
    bool asked = false;
    Instant retry_at;
    int32_t failures = 0;  // of sending, in a row
    int32_t refusals = 0;
  };

  void On(const Tick&) {}
  void On(const RegisterAnswered& event);
  void On(const HeartbeatAnswered& event);
  void On(const LeaseAnswered& event);
  void On(const AnnounceAnswered& event);
  void On(const ContributionSent& event);
  void On(const GatherSent& event);
  void On(const UnitFinished& event);
  void On(const UnitFailed& event);
  void On(const FailureReported& event);
  void On(const DrainRequested&);
  void On(const StopRequested&);
  void On(const GoodbyeAnswered&);

  void NotRegistered(const Status& why);
  void LoseSession(const Status& why);
  // False when the error says that the session is over.
  bool StillIn(uint64_t session, const Status& status);
  void Drop(std::map<UnitId, Work>::iterator work);
  void DropOtherSpecs(const rpc::Lease& lease);
  // The unit's work in that stage, if it is still that computation's; null otherwise.
  Work* Find(const UnitId& unit, uint64_t computation, Stage stage);
  void Apply(const rpc::HeartbeatReply& reply);
  void ThreadIsBack(uint64_t lease);
  void RetryLater(Work& work);
  void TryAgain(Work& work, const UnitFailed& event);
  void TellOfFetching(const UnitFailed& event);
  void ReportFailure(Work& work, const UnitFailed& event);
  bool GoesOnUnder(Work& work, const rpc::Lease& lease);
  std::optional<size_t> FreeSlot() const;
  std::optional<size_t> SlotFor(const UnitId& unit) const;
  int32_t SlotsToAskFor() const;
  bool TakesWork() const { return !master_drains_ && !leaving_ && !stopping_; }
  bool HasWork() const;
  int64_t UndeliveredBytes() const;
  int64_t RetainedBytes() const;
  void LetGoOfRetained();
  void Take(const rpc::Gather& gather);
  void Send(Gathering& gathering);
  void DropInputs(const Gathering& gathering);
  void HandBack(const UnitId& unit, Work& work);
  void Act();
  void Register();
  void SayGoodbye();
  void Heartbeat();
  void Begin(Work& work);
  void Deliver(const UnitId& unit, Work& work);
  Duration Backoff(int32_t failures) const;
  void Emit(Effect effect) { effects_->push_back(std::move(effect)); }

  CoreOptions options_;
  uint64_t session_ = 0;
  Duration heartbeat_ = std::chrono::milliseconds(500);
  bool registering_ = false;
  bool heartbeat_asked_ = false;
  bool lease_asked_ = false;
  bool master_drains_ = false;  // it wants nobody to begin anything
  bool leaving_ = false;        // as soon as what runs is delivered
  bool stopping_ = false;
  bool goodbye_asked_ = false;
  bool exited_ = false;
  Instant register_at_;
  Instant heartbeat_at_, heartbeat_sent_;
  Instant lease_at_;
  uint64_t notices_seen_ = 0;  // the number of the session's last answered heartbeat
  bool start_anew_told_ = false;
  int32_t register_failures_ = 0;
  bool joined_before_ = false;
  std::optional<absl::StatusCode> waits_for_;  // told; none: it has a session, or is about to
  Instant warn_at_;
  std::optional<Instant> silent_since_;  // heartbeats are not answered
  int32_t lease_failures_ = 0;
  int64_t fetch_failures_ = 0;  // of units that were tried again, until there were none for a while
  Instant fetch_failed_at_, fetch_warn_at_;
  Duration fetch_warn_pause_{};
  uint64_t retained_ = 0;  // how many results were taken
  std::map<UnitId, Work> work_;
  std::map<uint64_t, Gathering> gathers_;  // of this session, by their numbers
  std::map<uint64_t, rpc::Gather> early_;  // that overtook the answer to an announcement
  // What each slot's thread is busy with, by the lease that names the computation; 0: nothing. A
  // thread that hangs keeps its slot although its unit was aborted.
  std::vector<uint64_t> threads_;
  // What each slot was told to read ahead: it has the first batches of that unit.
  std::vector<std::optional<UnitId>> hinted_;
  Instant now_;
  std::vector<Effect>* effects_ = nullptr;
};

}  // namespace dl::executor
