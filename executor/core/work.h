// A unit that this executor has a lease of, on its way from the lease to the commit of its round.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "executor/core/call.h"
#include "executor/core/events.h"
#include "rpc/messages.h"

namespace dl::executor {

// kHeld: accepted, and kept for a gather. kRetained: the master has the bytes.
enum class Stage { kWaiting, kRunning, kAnnouncing, kSending, kHeld, kReporting, kRetained };

struct Work {
  rpc::Lease lease;  // the newest one of this unit
  Instant leased_at;
  // The lease that its computation was started with, which names the computation.
  uint64_t computed_under = 0;
  uint64_t retained_in = 0;  // kRetained: the session that took its bytes
  uint64_t retained_as = 0;  // likewise: its number among those that were taken
  uint64_t gathered_by = 0;  // kHeld: the last gather that brought its bytes to the master
  Stage stage = Stage::kWaiting;
  Call call;              // of its result or failure; kWaiting: its start, and fetches that failed
  Instant failing_since;  // kWaiting: the first of them
  UnitOutcome outcome;
  rpc::FailureReport failure;

  // Whether what is computed, or being computed, serves the new lease as well, as a pure function
  // gives the same again; then it is the unit's lease. Not what this very session has taken
  // already: the master that still asks for it wants it computed a second time.
  bool GoesOnUnder(const rpc::Lease& newer, uint64_t session, Instant now);
  // The master is to hear of the failure.
  void Report(const UnitFailed& failed, Instant now);
  // A lease that came, or waited, when nothing is begun any more: somebody else has it sooner than
  // by letting it run out. It is nobody's failure.
  void HandBack(Instant now);
};

}  // namespace dl::executor
