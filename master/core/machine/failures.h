// Handles errors that executors report for units. Decides whether the unit or the executor is at
// fault, and when a unit is given up.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "master/core/machine/backoffs.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/trust.h"
#include "rpc/messages.h"

namespace dl::master {

class Failures : public Component {
 public:
  struct Uses {
    Backoffs& backoffs;
    Trust& trust;
  };
  Failures(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // Answers Aborted if the session is over, else OK. Records the failure (RecordFailure) of an open
  // unit that is leased under the reported lease. If the unit's accepted result came from this
  // lease and its bytes have not arrived, withdraws the result first. Ignores other reports.
  void On(const Asked<rpc::FailureReport>& event);
  // Ends the executor's leases of the unit, and counts the failure against the unit or the
  // executor, unless the master or the network is at fault. Depending on that, requests to FAIL the
  // job, quarantines or backs off the executor, or only delays the next lease.
  void RecordFailure(Job& job, Unit& unit, const Session& session,
                     const rpc::FailureReport& report);
  // The received bytes differ from the announcement, because the executor's memory or something on
  // the way changed bits. Counts against the executor. If the master lacked memory or open files
  // (IsShortage), it counts against neither unit nor executor.
  void RecordRefusal(Job& job, Unit& unit, const Session& session, const Status& why);
  // Whether the unit's last error is the unit's fault and must FAIL the job. It is if three
  // executors reported it, or if every eligible executor did and no other is expected to return.
  // The second case needs two reports, or three processes in which the unit stalled. REQUIRES: the
  // unit has errors.
  bool IsPoison(const Job& job, const Unit& unit) const;
  // Counts crashes that a new process reports for its predecessor. A crash counts once, even if its
  // registration is repeated. It counts only with the ticket of a lease, also if the unit is
  // closed.
  void RecordCrashes(const Session& session, const std::vector<rpc::CrashedUnit>& crashes);
  // The executor's earlier process ended while it had leases of these jobs, and left no crash note,
  // so it was killed. After three kills in a row without a result of the job, each job holds the
  // executor off for a pause, because its memory is probably too small. The pause doubles with each
  // further kill (Backoffs::kFirstBackoff to kLongestBackoff).
  void RecordKilled(const Session& session, const std::set<std::string>& jobs);
  // Records an error of the unit, whose computation has stalled on this executor. Requests to FAIL
  // the job if IsPoison() is true for the unit, or if executors cannot restart. Otherwise counts it
  // against the executor. REQUIRES: the caller has told the executor to restart.
  void RecordHung(Job& job, Unit& unit, const Session& session);
  // `executor` computed the unit. Backs off other executors that failed at it and have delivered
  // nothing since.
  void RecordComputed(Job& job, const Unit& unit, const std::string& executor);

 private:
  bool IsNotFinite(const Job& job, const Unit& unit) const;
  // Counts trouble against the executor and backs it off at the second unit in a row.
  void RecordTrouble(Job& job, const Attempt& attempt);
  // Returns when the executor's lease of the unit was granted; just before this step if it has
  // none.
  Instant BeginningOf(const Unit& unit, const std::string& executor) const;
  bool WasLeased(const Job& job, const Session& session, const rpc::CrashedUnit& crashed) const;
  void RecordCrash(Job& job, Unit& unit, const Session& session, const rpc::CrashedUnit& crashed);
  void RecordRetry(Job& job, const Unit& unit, const Session& session,
                   const rpc::FailureReport& report);

  const Uses uses_;
};

}  // namespace dl::master
