// Handles jobs and units that no executor can serve. A job without executors waits for them. A unit
// with errors or with two different results, which no registered executor may compute, waits for
// another executor for CoreOptions::another_executor_wait. After that, the job FAILS or leaves its
// contract. It does so at once if the unit is at fault (Failures::IsPoison).
#pragma once

#include "master/core/machine/contracts.h"
#include "master/core/machine/endings.h"
#include "master/core/machine/failures.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/recovery.h"

namespace dl::master {

class Waiting : public Component {
 public:
  struct Uses {
    Contracts& contracts;
    Endings& endings;
    Failures& failures;
  };
  Waiting(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // Whether a round or evaluation of the job is open, but no registered executor is eligible.
  bool LacksExecutors(const Job& job) const;
  // Whether all registered executors are quarantined, and no executor with another name can join.
  // The job FAILS CoreOptions::another_executor_wait after the last dispute, because an executor
  // may be starting again.
  bool AwaitsReplacement(const Job& job) const;
  // Moves the job to WAITING or back. FAILS it if a unit waited too long, or if no other executor
  // can join and it holds off all or all are quarantined. May leave the job's contract (Contracts).
  // May remove its units.
  void UpdateWaiting(Job& job);
  // Sets the state and reports what the job waits for, unless nothing of it changed. Emits a
  // warning if waiting alone does not help.
  void WaitFor(Job& job, JobState state, const BlockedReason& blocked);

 private:
  bool LacksDeciders(const Job& job) const;
  bool IsHeldOff(const Job& job) const;
  BlockedReason WaitingReason(const Job& job) const;
  bool FailIfAllAreQuarantined(Job& job);  // returns whether the job has ended
  void FailUndecided(Job& job);
  void FailUncomputable(Job& job);

  const Uses uses_;
};

}  // namespace dl::master
