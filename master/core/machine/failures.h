// Errors that executors report of units: whose fault they are, and when a unit is given up.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "master/core/machine/machine_component.h"
#include "rpc/messages.h"

namespace dl::master {

class Failures : public Component {
 public:
  using Component::Component;

  void On(const Asked<rpc::FailureReport>& event);
  void RecordFailure(Job& job, Unit& unit, const Session& session,
                     const rpc::FailureReport& report);
  // What the executor sent is not what it announced: its memory, or something between, changes
  // bits. Others may do better. Or the master lacked memory for it, which is nobody's failure.
  void RecordRefusal(Job& job, Unit& unit, const Session& session, const Status& why);
  // The unit's last error is its own, and came from enough executors to fail the job.
  // REQUIRES: the unit has errors.
  bool IsPoison(const Job& job, const Unit& unit) const;
  void RecordCrashes(const Session& session, const std::vector<rpc::CrashedUnit>& crashes);
  // The executor's earlier process ended while it had leases of these jobs, and left no note of a
  // crash: it was killed. Three kills in a row without a result hold it off from the job for a
  // while: its memory is probably too small for the job.
  void RecordKilled(const Session& session, const std::set<std::string>& jobs);
  // The unit's computation stands still on this executor, which is told to restart. Returns whether
  // this failed the job, or made it leave its contract: its units are gone.
  bool RecordHung(Job& job, Unit& unit, const Session& session);
  // Another executor computed the unit: executors that failed at it, and delivered nothing since,
  // are set aside.
  void RecordComputed(Job& job, const Unit& unit, const std::string& executor);
  // Fails the job for what executors said of its units, unless it can leave its contract
  // (Contracts::LeaveToGoOn). Its units are gone in both cases.
  void FailForUnit(Job& job, Reason reason, const Status& error);

 private:
  bool IsNotFinite(const Job& job, const Unit& unit) const;
  // Counts against the executor: at the second unit in a row it is set aside.
  void RecordTrouble(Job& job, const UnitId& unit, const std::string& executor);
  void RecordCrash(Job& job, Unit& unit, const Session& session, const rpc::CrashedUnit& crashed);
  void RecordRetry(Job& job, const Unit& unit, const Session& session,
                   const rpc::FailureReport& report);
};

}  // namespace dl::master
