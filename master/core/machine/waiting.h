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
  // Moves the job to WAITING or back. FAILS it if a unit waited too long, or if it holds off all
  // executors and no other can join. May leave the job's contract (Contracts). May remove its
  // units.
  void UpdateWaiting(Job& job);
  // Sets the state and reports what the job waits for, unless nothing of it changed. Emits a
  // warning if waiting alone does not help.
  void WaitFor(Job& job, JobState state, const BlockedReason& blocked);

 private:
  bool LacksDeciders(const Job& job) const;
  bool IsHeldOff(const Job& job) const;
  BlockedReason WaitingReason(const Job& job) const;
  void FailUndecided(Job& job);
  void FailUncomputable(Job& job);

  const Uses uses_;
};

}  // namespace dl::master
