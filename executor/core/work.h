// A unit that this executor has leased, from its lease to the commit of its round.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "executor/core/call.h"
#include "executor/core/executor_events.h"
#include "rpc/messages.h"

namespace dl::executor {

// kWaiting: leased, and waits for a free slot or the next attempt to fetch its data. kHeld:
// accepted, and kept until a later round is committed or the master abandons the unit, because the
// master may gather it several times.
// kReporting: its failure is being reported. kRetained: the master has the bytes.
enum class Stage { kWaiting, kRunning, kAnnouncing, kSending, kHeld, kReporting, kRetained };

struct Work {
  rpc::Lease lease;  // newest lease of this unit
  Instant leased_at;
  // The lease that started the computation, and therefore names it.
  uint64_t computed_under = 0;
  uint64_t retained_in = 0;  // kRetained: session in which the bytes were accepted
  uint64_t retained_as = 0;  // kRetained: sequence number among the accepted results
  uint64_t gathered_by = 0;  // kHeld: last gather that delivered the bytes
  Stage stage = Stage::kWaiting;
  Call call;  // call for the result or failure; kWaiting: for the start, with failed fetches
  Instant failing_since;  // kWaiting: time of the first failed fetch
  UnitOutcome outcome;
  rpc::FailureReport failure;

  // Uses the finished or running computation for the new lease if the lease asks for the same
  // result; the new lease then replaces the old lease. Returns whether it does. Returns false if
  // the unit waits or has failed. Also returns false for a result that the master has accepted in
  // this session: a master that leases the unit again wants it computed a second time.
  bool ContinueUnder(const rpc::Lease& newer, uint64_t session, Instant now);
  // Prepares a report of the failure to the master.
  void Report(const UnitFailed& failed, Instant now);
  // Returns the lease to the master because no unit may start any more. Another executor gets it
  // earlier than by waiting for it to expire. It does not count as a failure.
  void HandBack(Instant now);
};

}  // namespace dl::executor
